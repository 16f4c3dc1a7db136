internal import ArgumentParser
internal import CFuse
internal import DocFS
internal import Glibc
internal import Logging
internal import Synchronization

/// The command line of `docfs-mount`.
struct MountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docfs-mount",
        abstract: "Show local and cloud documents as ordinary directories.",
        usage: "docfs-mount [OPTIONS] MOUNTPOINT",
        discussion: """
            Below MOUNTPOINT, Local/ is a plain directory of this computer, and every container \
            has a directory with all its documents, whether their bytes are here or not. Stop \
            with SIGINT or SIGTERM, or by unmounting.

            EXAMPLES:
              docfs-mount ~/Documents
                    with no configuration: Local/ and Cloud/ below ~/.local/share/docfs
              docfs-mount --cloud Work=file:///srv/team --settle 0.5 ~/Documents
                    the documents of a folder that other computers share
              docfs-mount --daemon -o allow_other,cache-limit=50G /srv/documents
                    in the background, for every user
              docfs-mount --probe 's3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION'
                    mount nothing, and say what a store does with every condition
            """,
        version: docFSVersion)

    @Argument(help: "An empty directory to mount at.")
    var mountPoint: String

    @OptionGroup(title: "Documents") var documents: DocumentOptions
    @OptionGroup(title: "Synchronisation") var synchronisation: SynchronisationOptions
    @OptionGroup(title: "Mount") var mount: FuseOptions
    @OptionGroup(title: "Daemon") var daemon: DaemonOptions

    func run() throws {
        let surroundings = Surroundings.current()
        let configuration = try configuration(surroundings)
        let ready = configuration.isDaemon ? try daemonize() : nil
        // A daemon logs into its state directory, so that must be there first.
        _ = try StateDirectory(path: configuration.state)
        let handler = try LogFile(path: configuration.logFile, level: configuration.logLevel)
        let log = Logger(label: "docfs") { _ in handler }
        try MountService(configuration, log: log).run(compose: Composer.compose) {
            ready?.announce()
        }
    }

    private func configuration(_ surroundings: Surroundings) throws -> MountConfiguration {
        var settings = MountSettings()
        try documents.read(into: &settings)
        try synchronisation.read(into: &settings)
        try mount.read(into: &settings)
        try daemon.read(into: &settings)
        let file = try daemon.fileSettings(surroundings)
        return try MountConfiguration(
            mountPoint: mountPoint, settings: settings.over(file), surroundings: surroundings)
    }

    /// Before any thread exists: only this one goes on.
    private func daemonize() throws -> ReadySignal {
        let descriptor = docfs_daemonize()
        if descriptor < 0 { throw MountFailure("cannot go into the background") }
        return ReadySignal(descriptor)
    }
}
