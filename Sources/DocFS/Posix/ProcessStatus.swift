internal import Glibc

/// What /proc tells of another process (proc(5)).
package struct ProcessStatus: Sendable {
    /// Clock ticks after boot.
    package let started: UInt64
    /// The process that a thread belongs to; its own number for a process.
    package let process: Int32
    /// A zombie, perhaps with threads that still sleep in the kernel, or killed and not yet gone.
    package let isEnding: Bool

    /// `nil` when there is no such process.
    ///
    /// - Parameter process: of a thread that is no process, the thread's own start is told.
    package init?(_ process: Int32) {
        do throws(DocFSError) {
            self.init(
                stat: try Posix.contents(ofPath: "/proc/\(process)/stat"),
                status: try Posix.contents(ofPath: "/proc/\(process)/status"))
        } catch {
            return nil
        }
    }

    /// Reads the two files.
    ///
    /// The command's name in the first may contain anything: fields are counted from the last
    /// parenthesis, where the state is the third and the start the 22nd.
    package init?(stat: [UInt8], status: [UInt8]) {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split { $0 == 0x20 || $0 == 0x0A }
        guard fields.count > 19, let started = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.started = started
        let isZombie = [UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(fields[0].first)
        isEnding = isZombie || ProcessStatus.hasPendingKill(status)
        process = ProcessStatus.value("Tgid:", in: status).flatMap { Int32($0) } ?? 0
    }

    private static func hasPendingKill(_ status: [UInt8]) -> Bool {
        ["SigPnd:", "ShdPnd:"].contains { label in
            guard let mask = value(label, in: status).flatMap({ UInt64($0, radix: 16) }) else {
                return false
            }
            return mask & 1 << UInt64(SIGKILL - 1) != 0
        }
    }

    /// What follows `label` on its line.
    private static func value(_ label: String, in status: [UInt8]) -> String? {
        for line in status.split(separator: 0x0A) where line.starts(with: label.utf8) {
            return String(
                decoding: line.dropFirst(label.utf8.count).drop { $0 == 0x09 }, as: UTF8.self)
        }
        return nil
    }
}
