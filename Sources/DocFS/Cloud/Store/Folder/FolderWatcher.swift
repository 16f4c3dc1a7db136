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

    /// How often the folder's path is looked at, since an unmount on top of it makes no event, and
    /// watching is tried again where the kernel had no room for it.
    private static let patience: Int32 = 1000
    /// How often files are looked at that programs write into.
    private static let growthPause: Int32 = 250
    /// For how long events gather after a program has written something.
    private static let gathering: Int32 = 10

    private func run() {
        defer { reporter.finish() }
        while true {
            do throws(DocFSError) {
                let root = try Posix.open(path: path, flags: O_RDONLY | O_DIRECTORY)
                let status = try Posix.status(of: root.number)
                guard try watch(root, status) else { return }
                if isThere(status) { continue }
                reporter.report(.lookAtEverything)
                // Of watches that are no more.
                _ = try inotify.events()
            } catch .notFound {
                // The container is away, as whoever asks it for anything finds.
            } catch {
                reporter.report(unseen: error.sentence)
            }
            if inotify.wait(milliseconds: Self.patience) { return }
        }
    }

    /// Watches a folder until the watches have to be set anew; false when the watcher was stopped.
    private func watch(_ root: Descriptor, _ status: FileStatus) throws(DocFSError) -> Bool {
        guard try inotify.open() else {
            reporter.report(unseen: InotifyLimit.instances.sentence)
            return !inotify.wait(milliseconds: Self.patience)
        }
        var tree = WatchTree(root: root, inotify: inotify, reporter: reporter)
        guard tree.begin() else { return false }
        reporter.report(unseen: tree.unseen)
        reporter.report(.lookAtEverything)
        return follow(&tree, status)
    }

    /// Tells what there was no room to watch, and tries it again; false when the watcher was
    /// stopped.
    private func watchMore(_ tree: inout WatchTree) -> Bool {
        guard tree.unseen != nil else { return true }
        reporter.report(unseen: tree.unseen)
        guard tree.watchMore() else { return false }
        if tree.unseen == nil {
            reporter.report(unseen: nil)
            // What changed before was not seen.
            reporter.report(.lookAtEverything)
        }
        return true
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
            guard watchMore(&tree) else { return false }
            tree.reportGrowth()
            if tree.hasGrowth, !events.isEmpty { inotify.gather(milliseconds: Self.gathering) }
        }
    }
}
