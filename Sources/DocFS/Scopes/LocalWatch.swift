package import Logging
internal import Synchronization

/// Tells what happens in `Local/`, by whomever on this computer, for as long as anybody reads
/// events (S29).
///
/// Changes before the watches stand have no events; who begins to read waits for them, but
/// no longer than a second.
package final class LocalWatch: Sendable {
    private struct State {
        var isRunning = false
        /// The watches stand, or cannot.
        var isReady = false
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
        _ = state.wait(nanoseconds: Self.patience) { $0.isReady ? true : nil }
    }

    private func run() {
        while true {
            do throws(DocFSError) {
                try follow()
            } catch {
                tell(trouble: error.sentence)
                state.withLock { $0.isReady = true }
                Posix.sleep(microseconds: 1_000_000)
            }
            let isWatched = bulletin.isWatched
            let isOver = state.withLock { state in
                state.isReady = false
                // Who begins to read from now on sees that it runs no more.
                if !isWatched { state.isRunning = false }
                return !isWatched
            }
            guard isOver else { continue }
            bulletin.setUnwatched(nil)
            // Somebody may have begun in between, and thought that it runs.
            if bulletin.isWatched { begin() }
            return
        }
    }

    /// Tells what happens until nobody reads any more.
    private func follow() throws(DocFSError) {
        let inotify = try Inotify()
        guard try inotify.open() else { throw .offline(InotifyLimit.instances.sentence) }
        crossings.forget()
        var tree = try LocalWatchTree(root: root, hidden: hidden, inotify: inotify)
        tree.begin { bulletin.isWatched }
        tell(trouble: tree.trouble)
        state.withLock { $0.isReady = true }
        var changes = Changes()
        while bulletin.isWatched {
            _ = inotify.wait(milliseconds: changes.isEmpty ? 1_000 : changes.pause(settle))
            if try read(inotify, into: &tree), !tree.isSettled {
                changes.note(at: Posix.bootTime())
            }
            guard changes.haveSettled(at: Posix.bootTime(), settle) else { continue }
            changes = Changes()
            tell(tree.settle())
            tell(trouble: tree.trouble)
        }
    }

    /// So many times the queue is read before anything else is done.
    private static let reads = 1_000

    /// - Returns: whether there was anything.
    private func read(_ inotify: Inotify, into tree: inout LocalWatchTree) throws(DocFSError)
        -> Bool
    {
        // Both halves of a move have to be there.
        for number in 0..<Self.reads {
            let events = try inotify.events()
            if events.isEmpty { return number > 0 }
            for event in events { tree.take(event) }
        }
        return true
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

    /// So many changes are told at once: then readers have some time, so that they do not miss what
    /// happens in containers.
    private static let burst = 1_000

    private func tell(_ changes: [LocalChange]) {
        var left: Set<LocalIdentity> = []
        for (number, change) in changes.enumerated() {
            if number % Self.burst == Self.burst - 1 { Posix.sleep(microseconds: 50_000) }
            switch change.kind {
            case .made, .edited:
                let isArrival = change.file.map(crossings.takeArrival) ?? false
                let kind: DocumentEvent.Kind = change.kind == .made ? .made : .edited
                post(isArrival ? .arrived : kind, change.path)
            case .moved(let from): post(.moved, change.path, .from(from))
            case .deleted:
                guard let file = change.file else { continue }
                if crossings.takeDeparture(file) { left.insert(file) }
                post(left.contains(file) ? .left : .deleted, change.path)
            }
        }
        crossings.haveBeenTold()
    }

    private func post(
        _ kind: DocumentEvent.Kind, _ path: ItemPath, _ detail: DocumentEvent.Detail? = nil
    ) {
        bulletin.post(
            DocumentEvent(
                kind: kind, scope: DocumentEvent.local, item: nil, path: path,
                time: clock.wallTime(), by: .here, detail: detail))
    }

    /// Not everything is watched, or all is.
    private func tell(trouble: String?) {
        let sentence = trouble.map {
            "not all changes in Local are told to readers of events: \($0)"
        }
        if bulletin.setUnwatched(sentence), let sentence { log.warning("\(sentence)") }
    }
}
