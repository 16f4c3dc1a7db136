internal import CFuse
internal import Glibc
package import Logging
internal import Synchronization

/// Writes log lines to a descriptor: time in UTC, level, words.
///
/// An event is one line, whatever names and errors are in it.
package struct LogFile: LogHandler {
    package var logLevel: Logger.Level
    package var metadata: Logger.Metadata = [:]
    private let file: Descriptor

    /// Appends to the file at `path`, made with mode 0600 where it is missing; to standard error
    /// without one.
    package init(path: String?, level: Logger.Level) throws(MountFailure) {
        logLevel = level
        do throws(DocFSError) {
            if let path {
                let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW
                file = try Posix.open(path: path, flags: flags, mode: 0o600)
            } else {
                file = Descriptor(try Posix.check { dup(STDERR_FILENO) })
            }
        } catch {
            throw MountFailure("log file \(path ?? "standard error"): \(error.sentence)")
        }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let extra = metadata.merging(event.metadata ?? [:]) { $1 }
            .sorted { $0.key < $1.key }
            .map { " \($0.key)=\($0.value)" }.joined()
        let words = ShownText.line("\(event.message)\(extra)")
        let line = "\(LogFile.time()) \(event.level) \(words)\n"
        // One write, so that lines of several threads do not mix.
        _ = line.withCString { Glibc.write(file.number, $0, strlen($0)) }
    }

    /// As `2026-01-31T12:00:00.123Z`.
    private static func time() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        var text = [CChar](repeating: 0, count: 32)
        strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let milliseconds = String(now.tv_nsec / 1_000_000 + 1000).dropFirst()
        let seconds = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        return seconds + ".\(milliseconds)Z"
    }
}
