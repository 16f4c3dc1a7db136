internal import ArgumentParser
internal import DocFS

/// What every FUSE mount has.
struct FuseOptions: ParsableArguments {
    @Flag(help: "Let other users in, each with their own permissions. (default: off)")
    var allowOther = false

    @Flag(help: "Let nobody change anything through the mount. (default: off)")
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            """
            auto: the kernel reads and writes files that are here by itself, where it can and the \
            daemon is root or has CAP_SYS_ADMIN; off: never. (default: auto)
            """, valueName: "auto|off"))
    var passthrough: String?

    @Option(
        name: .customShort("o"),
        help: ArgumentHelp(
            """
            Options as fstab has them: allow_other, ro, and every long option with a value as \
            KEY=VALUE.
            """, valueName: "opt[,opt]"))
    var options: [String] = []

    func read(into settings: inout MountSettings) throws(ConfigurationError) {
        for text in options { try MountOptions.read(text, into: &settings) }
        if allowOther { settings.allowsOthers = true }
        if readOnly { settings.isReadOnly = true }
        if let passthrough { try settings.set(.passthrough, passthrough) }
    }
}
