internal import ArgumentParser
internal import DocFS

/// How the process runs and where it says what.
struct DaemonOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            TOML; every option has a key, containers are NAME = "URL" in the table [cloud]. \
            (default: $XDG_CONFIG_HOME/docfs/config.toml)
            """, valueName: "file"))
    var config: String?

    @Flag(help: "Return once the mount answers. (default: stay in the foreground)")
    var daemon = false

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical. (default: info)",
            valueName: "level"))
    var logLevel: String?

    @Option(
        help: ArgumentHelp(
            """
            Append the log to a file. (default: standard error; with --daemon the file "log" in \
            the state directory)
            """, valueName: "file"))
    var logFile: String?

    func read(into settings: inout MountSettings) throws(ConfigurationError) {
        if daemon { settings.isDaemon = true }
        if let logLevel { try settings.set(.logLevel, logLevel) }
        if let logFile { try settings.set(.logFile, logFile) }
    }

    /// What the file says: one that was named must be there.
    func fileSettings(_ surroundings: Surroundings) throws(ConfigurationError) -> MountSettings {
        let path =
            config.map(surroundings.absolute) ?? MountConfiguration.defaultFile(surroundings)
        if let settings = try ConfigurationFile.settings(atPath: path) { return settings }
        if config != nil { throw ConfigurationError("\(path): there is no such file") }
        return MountSettings()
    }
}
