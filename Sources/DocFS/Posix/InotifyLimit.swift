/// A limit of the kernel's to what one user may watch, which every program of the user takes from.
package enum InotifyLimit: String {
    /// Programs that watch anything.
    case instances = "max_user_instances"
    /// Directories that are watched.
    case watches = "max_user_watches"

    /// That it is used up, and how it is raised, in words.
    package var sentence: String {
        let name = "fs.inotify.\(rawValue)"
        let now = value
        let more = max(now ?? 0, self == .instances ? 128 : 65536) * 8
        return "\(name)\(now.map { " (\($0))" } ?? "") is used up; root raises it by "
            + "sysctl \(name)=\(more)"
    }

    private var value: Int? {
        // Without it the sentence has no number.
        let text = try? Posix.contents(ofPath: "/proc/sys/fs/inotify/\(rawValue)")
        return text.flatMap { Int(String(decoding: $0.prefix { $0 != 0x0A }, as: UTF8.self)) }
    }
}
