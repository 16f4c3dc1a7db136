internal import ArgumentParser

/// `docfs manual`: what is installed beside the programs.
struct ManualVerb: ParsableCommand {
    enum Page: String, CaseIterable, ExpressibleByArgument {
        case docfs = "docfs.1"
        case mount = "docfs-mount.8"
        case configuration = "docfs.toml.5"
        case bash = "docfs.bash"
        case zsh = "docfs.zsh"
        case fish = "docfs.fish"
    }

    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print a manual page, in the language of man(7), or a shell's completions.",
        shouldDisplay: false)

    @Argument(help: "The file that is wanted.")
    var page: Page

    func run() throws {
        switch page {
        case .docfs: Output.data(try Manual.control())
        case .mount: Output.data(try Manual.mount())
        case .configuration: Output.data(try Manual.configuration())
        case .bash: Output.data(Docfs.completionScript(for: .bash))
        case .zsh: Output.data(Docfs.completionScript(for: .zsh))
        case .fish: Output.data(Completion.fish(Docfs.completionScript(for: .fish)))
        }
    }
}
