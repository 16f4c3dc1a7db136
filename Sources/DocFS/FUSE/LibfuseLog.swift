internal import CFuse
internal import Logging
internal import Synchronization

/// What libfuse has to say, in our log.
///
/// libfuse knows one receiver per process.
enum LibfuseLog {
    private static let log = Mutex<Logger?>(nil)

    static func send(to logger: Logger) {
        log.withLock { $0 = logger }
        docfs_set_log { level, message in
            guard let message, let logger = LibfuseLog.log.withLock({ $0 }) else { return }
            // As syslog(3): 3 is an error, 4 a warning.
            let level: Logger.Level = level <= 3 ? .error : level == 4 ? .warning : .debug
            logger.log(level: level, "\(String(cString: message))")
        }
    }
}
