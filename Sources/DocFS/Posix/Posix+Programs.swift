internal import Glibc

/// What other processes run.
extension Posix {
    /// The file name of what a thread's process runs; `nil` when it may not be known.
    package static func program(ofThread thread: Int32) -> String? {
        let link = Array("/proc/\(thread)/exe".utf8)
        // It has ended, or is another user's.
        guard let path = try? readLink(at: AT_FDCWD, link) else { return nil }
        return String(decoding: path.split(separator: 0x2F).last ?? [], as: UTF8.self)
    }

    /// The name that the kernel has of a thread: at most 15 bytes.
    package static func name(ofThread thread: Int32) -> String? {
        // It has ended.
        guard let text = try? contents(ofPath: "/proc/\(thread)/comm") else { return nil }
        return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self)
    }
}
