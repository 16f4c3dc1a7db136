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

    /// How long what failed before is waited for, since it is tried once more.
    private static let retryTime: Duration = .seconds(1)

    /// - Parameter time: how long it may take at most; nothing is sent when that is zero.
    init(_ contents: Contents, _ engines: [SyncEngine], time: Duration, log: Logger) {
        self.contents = contents
        self.engines = engines
        self.log = log
        limit = Mutex(time)
    }

    /// How long it may take.
    var time: Duration {
        get { limit.withLock(\.self) }
        set { limit.withLock { $0 = newValue } }
    }

    /// Returns when the stores have everything, at the latest after ``time``, and logs what they do
    /// not have.
    ///
    /// For a thread that may wait.
    ///
    /// - Parameter status: says how everything is doing.
    func say(_ status: () throws(DocFSError) -> StatusReport) {
        let begin = ContinuousClock.now
        let time = time
        do throws(DocFSError) {
            if time > .zero { hurry() }
            while true {
                let report = try status()
                let passed = ContinuousClock.now - begin
                let isHopeful = report.scopes.contains {
                    $0.isOnItsWay(withFailures: passed < Self.retryTime)
                }
                guard isHopeful, passed < time else { return tell(report) }
                usleep(20_000)
            }
        } catch {
            log.warning("it is not known whether everything is stored: \(error.sentence)")
        }
    }

    /// Has everything sent as it is now, also what is open.
    private func hurry() {
        do throws(DocFSError) {
            try contents.syncEverything()
        } catch {
            // What is on the disk is sent all the same; the end of the daemon tells why not more.
            log.debug("not everything is on the disk: \(error.sentence)")
        }
        for engine in engines { engine.sendNow(nil) }
    }

    private func tell(_ report: StatusReport) {
        for scope in report.scopes where scope.left > 0 {
            let names = scope.waiting.map { PathText.line($0) }.joined(separator: ", ")
            let edits = scope.left == 1 ? "1 edit is" : "\(scope.left) edits are"
            log.warning(
                """
                \(scope.name): \(edits) not in the container yet; the next start sends them\
                \(names.isEmpty ? "" : ": " + names)
                """)
        }
    }
}

extension StatusReport.Scope {
    /// Whether something goes to the store at this moment, or may within seconds.
    fileprivate func isOnItsWay(withFailures: Bool) -> Bool {
        let isAway = !health.isOnline && health.problem != nil
        let hopeless = health.heldDeletes + (withFailures ? 0 : failureCount)
        return left > hopeless && !isAway && !health.isReadOnly
    }
}
