internal import Glibc
internal import Synchronization

/// Follows a folder with inotify(7) on a thread of its own and reports what changes.
///
/// The thread finds the folder by its path, anew whenever it was replaced. Each time the watches
/// stand it reports ``StoreEvent/lookAtEverything``: what changed before was not seen. It ends when
/// the stream's consumer does, or with ``stop()``.
final class FolderWatcher: Sendable {
    private let path: String
    private let inotify: Inotify
    private let reporter: EventReporter

    /// Makes a stream of the events of the folder at `path`.
    static func start(path: String) throws(DocFSError) -> (FolderWatcher, AsyncStream<StoreEvent>) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreEvent.self, bufferingPolicy: .bufferingOldest(EventReporter.capacity))
        let watcher = FolderWatcher(
            path: path, inotify: try Inotify(), reporter: EventReporter(continuation))
        continuation.onTermination = { [inotify = watcher.inotify] _ in inotify.interrupt() }
        OwnThread.start(name: "docfs-watch") { [watcher] in watcher.run() }
        return (watcher, stream)
    }

    private init(path: String, inotify: Inotify, reporter: EventReporter) {
        self.path = path
        self.inotify = inotify
        self.reporter = reporter
    }

    func stop() { inotify.interrupt() }

    /// How often the folder's path is looked at: an unmount on top of it makes no event.
    private static let patience: Int32 = 1000
    /// How often files are looked at that programs write into.
    private static let growthPause: Int32 = 250
    /// For how long events gather after a program has written something.
    private static let gathering: Int32 = 10

    private func run() {
        defer { reporter.finish() }
        while true {
            if let root = try? Posix.open(path: path, flags: O_RDONLY | O_DIRECTORY),
                let status = try? Posix.status(of: root.number)
            {
                var tree = WatchTree(root: root, inotify: inotify, reporter: reporter)
                guard tree.begin() else { return }
                reporter.report(.lookAtEverything)
                guard follow(&tree, status) else { return }
                if isThere(status) { continue }
                reporter.report(.lookAtEverything)
            }
            // Of watches that are no more.
            _ = try? inotify.events()
            if inotify.wait(milliseconds: Self.patience) { return }
        }
    }

    /// Whether the path still leads to the directory that was opened.
    private func isThere(_ root: FileStatus) -> Bool {
        guard let now = try? Posix.status(path: path) else { return false }
        return now.inode == root.inode && now.device == root.device
    }

    /// Reports events until the watches have to be set anew; false when the watcher was stopped.
    private func follow(_ tree: inout WatchTree, _ root: FileStatus) -> Bool {
        defer { tree.end() }
        while true {
            let pause = tree.hasGrowth ? Self.growthPause : Self.patience
            if inotify.wait(milliseconds: reporter.hasLost ? 50 : pause) { return false }
            reporter.reportLoss()
            guard let events = try? inotify.events() else { return true }
            if events.isEmpty, !isThere(root) { return true }
            for event in events where !tree.take(event) { return true }
            tree.reportGrowth()
            if tree.hasGrowth, !events.isEmpty { inotify.gather(milliseconds: Self.gathering) }
        }
    }
}
