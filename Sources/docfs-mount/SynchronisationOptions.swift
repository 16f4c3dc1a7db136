internal import ArgumentParser
internal import DocFS

/// When documents travel and how much of them stays.
struct SynchronisationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Quiet time after the last close before an edit is sent. (default: 1)",
            valueName: "seconds"))
    var settle: String?

    @Option(
        help: ArgumentHelp(
            "How often a store without push is asked for changes. (default: 5)",
            valueName: "seconds"))
    var poll: String?

    @Option(
        help: ArgumentHelp(
            """
            Downloaded bytes kept before the least recently used are evicted. (default: 10G)
            """, valueName: "size"))
    var cacheLimit: String?

    @Option(
        help: ArgumentHelp(
            """
            Which documents stay readable here until a newer version has come whole: those that \
            are 'here', up to 64 MiB, the 'pinned' ones, or 'never' any. (default: here)
            """, valueName: "which"))
    var refresh: String?

    @Option(
        help: ArgumentHelp(
            "How long a read may wait without one byte of progress. (default: 30)",
            valueName: "seconds"))
    var deadline: String?

    @Option(
        help: ArgumentHelp(
            """
            How long the end, and the computer's sleep, may wait for what is being sent. \
            (default: 5)
            """, valueName: "seconds"))
    var farewell: String?

    func read(into settings: inout MountSettings) throws(ConfigurationError) {
        if let settle { try settings.set(.settle, settle) }
        if let poll { try settings.set(.poll, poll) }
        if let cacheLimit { try settings.set(.cacheLimit, cacheLimit) }
        if let refresh { try settings.set(.refresh, refresh) }
        if let deadline { try settings.set(.deadline, deadline) }
        if let farewell { try settings.set(.farewell, farewell) }
    }
}
