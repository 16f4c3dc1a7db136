internal import Glibc
internal import Logging
internal import Synchronization

/// Going away saves: before the daemon ends, and before the computer sleeps or is switched off,
/// what waits is sent, however lately it changed (S12).
final class Farewell: Sendable {
    private let contents: Contents
    private let engines: [SyncEngine]
    private let limit: Mutex<Duration>
    private let log: Logger

    /// How long it is looked at most whether programs are in the middle of saving.
    private static let saving: Duration = .seconds(1)
    /// So long nothing has changed when no program is, in nanoseconds.
    private static let quiet: UInt64 = 300_000_000
    /// The longest that logind is kept from sleep, whatever the limit says: reads fail meanwhile.
    private static let mostBeforeSleep: Duration = .seconds(30)

    /// - Parameter time: how long it may take at most; nothing is sent when that is zero.
    init(_ contents: Contents, _ engines: [SyncEngine], time: Duration, log: Logger) {
        self.contents = contents
        self.engines = engines
        self.log = log
        limit = Mutex(time)
    }

    /// How long it may take; one that is being said ends when that has passed.
    var time: Duration {
        get { limit.withLock(\.self) }
        set { limit.withLock { $0 = newValue } }
    }

    /// Returns when the stores have everything, at the latest after ``time``, and logs what they do
    /// not have.
    ///
    /// For a thread that may wait.
    ///
    /// - Parameters:
    ///   - isPause: whether programs go on afterwards: what they are in the middle of is not cut
    ///     in two, if they are done with it within a second.
    ///   - status: says how everything is doing.
    func say(isPause: Bool, _ status: () throws(DocFSError) -> StatusReport) {
        let begin = ContinuousClock.now
        let most = isPause ? Self.mostBeforeSleep : .seconds(1_000_000)
        do throws(DocFSError) {
            if time > .zero {
                if isPause { waitUntilSaved(since: begin) }
                hurry(try status())
            }
            while true {
                let report = try status()
                guard report.scopes.contains(where: \.isOnItsWay),
                    ContinuousClock.now - begin < min(time, most)
                else { return tell(report) }
                usleep(50_000)
            }
        } catch {
            log.warning("it is not known whether everything is stored: \(error.sentence)")
        }
    }

    private func waitUntilSaved(since begin: ContinuousClock.Instant) {
        while engines.contains(where: { $0.hasChanged(within: Self.quiet) }),
            ContinuousClock.now - begin < min(time, Self.saving)
        { usleep(50_000) }
    }

    /// Has everything sent as it is now, also what is open, where the store can be reached: where
    /// it cannot, nobody is in a hurry when it is back.
    private func hurry(_ report: StatusReport) {
        contents.recordEverything()
        for (engine, scope) in zip(engines, report.scopes) where !scope.isAway {
            engine.sendNow(nil)
        }
    }

    private func tell(_ report: StatusReport) {
        for scope in report.scopes where scope.left > 0 {
            let names = scope.waiting.map { PathText.line($0) }.joined(separator: ", ")
            let more = !names.isEmpty && scope.waiting.count < scope.left ? ", …" : ""
            let edits = scope.left == 1 ? "1 edit is" : "\(scope.left) edits are"
            log.warning(
                """
                \(scope.name): \(edits) not in the container yet, and kept here\
                \(names.isEmpty ? "" : ": " + names)\(more)
                """)
        }
    }
}

extension StatusReport.Scope {
    /// Whether the store is known to be out of reach.
    fileprivate var isAway: Bool { !health.isOnline && health.problem != nil }

    /// Whether something goes to the store at this moment, or may within seconds.
    fileprivate var isOnItsWay: Bool { left > 0 && !isAway && !health.isReadOnly }
}
