import CFuse
import Glibc
import Testing

@testable import DocFS

@Suite struct PendingSignalsTests {
    private func status(own: [Int32] = [], shared: [Int32] = [], blocked: [Int32] = []) -> [UInt8] {
        func mask(_ signals: [Int32]) -> String {
            let bits = signals.reduce(UInt64(0)) { $0 | 1 << UInt64($1 - 1) }
            let digits = String(bits, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return Array(
            """
            Name:\tcat
            State:\tD (disk sleep)
            SigQ:\t0/31000
            SigPnd:\t\(mask(own))
            ShdPnd:\t\(mask(shared))
            SigBlk:\t\(mask(blocked))

            """.utf8)
    }

    // S7
    @Test(arguments: [SIGKILL, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
    func whatEndsAProgramEndsTheRead(signal: Int32) {
        #expect(PendingSignals.verdict(forStatus: status(own: [signal])) == .answer)
        #expect(PendingSignals.verdict(forStatus: status(shared: [signal])) == .answer)
        #expect(PendingSignals.verdict(forStatus: status(shared: [SIGWINCH, signal])) == .answer)
    }

    // S7
    @Test(arguments: [SIGWINCH, SIGCHLD, SIGUSR1, SIGALRM, SIGPROF])
    func anUnrelatedSignalDoesNot(signal: Int32) {
        #expect(PendingSignals.verdict(forStatus: status(own: [signal])) == .keepWaiting)
        #expect(PendingSignals.verdict(forStatus: status(shared: [signal])) == .keepWaiting)
    }

    @Test func aSignalThatTheReaderBlocksDoesNot() {
        let text = status(shared: [SIGINT, SIGWINCH], blocked: [SIGINT])
        #expect(PendingSignals.verdict(forStatus: text) == .keepWaiting)
    }

    @Test func theFreezerLeavesNothingPending() {
        #expect(PendingSignals.verdict(forStatus: status()) == .answer)
    }

    @Test func whatCannotBeReadIsAnswered() {
        #expect(PendingSignals.verdict(forStatus: Array("nonsense".utf8)) == .answer)
        #expect(PendingSignals.verdict(forThread: 0) == .answer)
    }

    @Test func aLivingThreadIsRead() {
        // Nothing is pending for a thread that runs.
        #expect(PendingSignals.verdict(forThread: docfs_gettid()) == .answer)
    }
}
