internal import ArgumentParser

/// `docfs unmount`: ends a mount.
struct UnmountVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount",
        abstract: "End a mount; what was not sent yet is sent after the next start.",
        discussion: "docfs flush --wait first, if other devices are to have everything.")

    @Argument(
        help: "A mount, or any path in it. (default: the only mount)", completion: .directory)
    var path: String?

    func run() throws {
        try (try path.map { try Place($0).mount } ?? Mount.only()).unmount()
    }
}
