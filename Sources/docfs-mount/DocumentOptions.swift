internal import ArgumentParser
internal import DocFS

/// Where documents and this device's state are.
struct DocumentOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The plain directory behind Local/. (default: $XDG_DATA_HOME/docfs/Local)",
            valueName: "dir"))
    var local: String?

    @Option(
        help: ArgumentHelp(
            """
            A container; may be repeated. URL is file:///DIR. \
            (default: Cloud=file://$XDG_DATA_HOME/docfs/Cloud)
            """, valueName: "[name=]url"))
    var cloud: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Catalog, contents and journal of this device, mode 0700. (default: \
            $XDG_STATE_HOME/docfs/ and the mount point as systemd-escape --path writes it)
            """, valueName: "dir"))
    var state: String?

    @Option(
        help: ArgumentHelp(
            "This device's name in conflict versions. (default: the host name)",
            valueName: "name"))
    var device: String?

    func read(into settings: inout MountSettings) throws(ConfigurationError) {
        if let local { try settings.set(.local, local) }
        for text in cloud { try settings.set(.cloud, text) }
        if let state { try settings.set(.state, state) }
        if let device { try settings.set(.device, device) }
    }
}
