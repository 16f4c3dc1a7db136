package import Logging
internal import Synchronization

/// Tells what happens in `Local/`, by whomever on this computer, for as long as anybody reads
/// events (S29).
///
/// Nobody is told of what happens before the watches stand; who begins to read waits for them, but
/// no longer than a second.
package final class LocalWatch: Sendable {
    private struct State {
        var isRunning = false
        /// The watches stand.
        var isStanding = false
        /// What the user was told of that could not be watched.
        var trouble: String?
    }

    private let root: Descriptor
    private let hidden: Name
    private let bulletin: Bulletin
    private let crossings: Crossings
    private let clock: any SyncClock
    private let settle: UInt64
    private let log: Logger
    private let state = Monitor(State())

    /// - Parameters:
    ///   - root: the plain directory.
    ///   - hidden: the name that is not shown where a filesystem begins.
    ///   - settle: nanoseconds without any change after which changes are told.
    package init(
        root: Descriptor, hidden: Name, bulletin: Bulletin, crossings: Crossings,
        clock: any SyncClock, settle: UInt64, log: Logger
    ) {
        self.root = root
        self.hidden = hidden
        self.bulletin = bulletin
        self.crossings = crossings
        self.clock = clock
        self.settle = settle
        self.log = log
    }

    /// Begins whenever somebody begins to read.
    package func start() { bulletin.addWatchListener { [self] in begin() } }

    /// How long who begins to read waits for the watches, in nanoseconds.
    private static let patience: UInt64 = 1_000_000_000

    private func begin() {
        let starts = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if starts { OwnThread.start(name: "local-events") { [self] in run() } }
        _ = state.wait(nanoseconds: Self.patience) { $0.isStanding ? true : nil }
    }

    private func run() {
        while true {
            do throws(DocFSError) {
                try follow()
            } catch {
                tell(trouble: error.sentence)
                Posix.sleep(microseconds: 1_000_000)
            }
            let isOver = state.withLock { state in
                // Somebody else may have begun to read.
                if bulletin.isWatched { return false }
                (state.isRunning, state.isStanding) = (false, false)
                return true
            }
            if isOver { return }
        }
    }

    /// Tells what happens until nobody reads any more.
    private func follow() throws(DocFSError) {
        let inotify = try Inotify()
        guard try inotify.open() else { throw .offline(InotifyLimit.instances.sentence) }
        var tree = try LocalWatchTree(root: root, hidden: hidden, inotify: inotify)
        tree.begin { bulletin.isWatched }
        crossings.forget()
        state.withLock { $0.isStanding = true }
        var changes = Changes()
        while bulletin.isWatched {
            tell(trouble: tree.trouble)
            _ = inotify.wait(milliseconds: changes.isEmpty ? 1_000 : changes.pause(settle))
            let events = try inotify.events()
            for event in events { tree.take(event) }
            if !events.isEmpty, !tree.isSettled { changes.note(at: Posix.bootTime()) }
            guard changes.haveSettled(at: Posix.bootTime(), settle) else { continue }
            changes = Changes()
            tell(tree.settle())
        }
    }

    /// When changes began that have not been told, and when the last of them was.
    private struct Changes {
        private var first: UInt64?
        private var last: UInt64 = 0

        /// For how long changes may go on before they are told all the same, in nanoseconds.
        private static let patience: UInt64 = 30_000_000_000

        var isEmpty: Bool { first == nil }

        mutating func note(at now: UInt64) {
            first = first ?? now
            last = now
        }

        func haveSettled(at now: UInt64, _ settle: UInt64) -> Bool {
            guard let first else { return false }
            return last + settle <= now || first + max(Self.patience, settle) <= now
        }

        /// Milliseconds until they may have.
        func pause(_ settle: UInt64) -> Int32 {
            let now = Posix.bootTime()
            let rest = last + settle > now ? last + settle - now : 0
            return Int32(clamping: min(rest / 1_000_000 + 1, 1_000))
        }
    }

    // MARK: Telling

    private func tell(_ changes: [LocalChange]) {
        var left: Set<LocalIdentity> = []
        for change in changes {
            switch change.kind {
            case .made, .edited:
                let isArrival = crossings.takeArrival(change.file)
                let isNew = change.kind == .made
                post(isArrival ? .arrived : isNew ? .made : .edited, change.path)
            case .moved(let from): post(.moved, change.path, .from(from))
            case .deleted:
                if crossings.takeDeparture(change.file) { left.insert(change.file) }
                post(left.contains(change.file) ? .left : .deleted, change.path)
            }
        }
    }

    private func post(
        _ kind: DocumentEvent.Kind, _ path: ItemPath, _ detail: DocumentEvent.Detail? = nil
    ) {
        bulletin.post(
            DocumentEvent(
                kind: kind, scope: DocumentEvent.local, item: nil, path: path,
                time: clock.wallTime(), by: .here, detail: detail))
    }

    /// Not everything is watched.
    private func tell(trouble: String?) {
        let isNews = state.withLock { state in
            defer { state.trouble = trouble ?? state.trouble }
            return trouble != nil && trouble != state.trouble
        }
        guard isNews, let trouble else { return }
        let sentence = "not all changes in Local are told to readers of events: \(trouble)"
        log.warning("\(sentence)")
        bulletin.note(sentence)
    }
}
