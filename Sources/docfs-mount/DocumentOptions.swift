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
            A container; may be repeated. URL is file:///DIR or \
            s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION, with keys from the \
            environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), the shared AWS files \
            (profile=NAME) or a file of mode 0600 (credentials=FILE). \
            (default: Cloud=file://$XDG_DATA_HOME/docfs/Cloud)
            """, valueName: "[name=]url"))
    var cloud: [String] = []

    @Flag(
        name: .customLong("allow-plain-http"),
        help: "Let documents travel to other computers without encryption. (default: off)")
    var allowPlainHTTP = false

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
        if allowPlainHTTP { settings.allowsPlainHTTP = true }
        if let state { try settings.set(.state, state) }
        if let device { try settings.set(.device, device) }
    }
}
