internal import ArgumentParser
internal import DocFS

@main
struct DocFSMount: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "docfs-mount", version: docFSVersion)
    func run() {}
}
