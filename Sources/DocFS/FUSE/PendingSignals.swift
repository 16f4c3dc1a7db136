internal import Glibc

/// Which signals wait for a thread, read from /proc/TID/status (proc(5)).
enum PendingSignals {
    /// What an interrupted reader is to be told.
    enum Verdict: Equatable {
        /// The read ends with EINTR.
        case answer
        /// Nothing that ends a program is pending: the reader would not even notice.
        case keepWaiting
    }

    /// Signals at which a user expects the read to end.
    private static let ending: UInt64 = [SIGKILL, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]
        .reduce(0) { $0 | 1 << UInt64($1 - 1) }

    static func verdict(forThread thread: Int32) -> Verdict {
        guard let status = status(ofThread: thread) else { return .answer }
        return verdict(forStatus: status)
    }

    /// The rule: answer when an ending signal is pending and not blocked, when nothing is pending
    /// (the freezer), and when the text cannot be read.
    static func verdict(forStatus status: [UInt8]) -> Verdict {
        guard let own = mask("SigPnd:", in: status), let shared = mask("ShdPnd:", in: status),
            let blocked = mask("SigBlk:", in: status)
        else { return .answer }
        let pending = (own | shared) & ~blocked
        return pending == 0 || pending & ending != 0 ? .answer : .keepWaiting
    }

    private static func status(ofThread thread: Int32) -> [UInt8]? {
        do throws(DocFSError) {
            return try Posix.contents(ofPath: "/proc/\(thread)/status")
        } catch {
            return nil
        }
    }

    /// The hexadecimal mask after `label` at the start of a line.
    private static func mask(_ label: String, in status: [UInt8]) -> UInt64? {
        for line in status.split(separator: 0x0A) where line.starts(with: label.utf8) {
            let digits = line.dropFirst(label.utf8.count).drop { $0 == 0x09 || $0 == 0x20 }
            return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
        }
        return nil
    }
}
