internal import ArgumentParser
internal import DocFS

/// `docfs-mount --probe URL`: mounts nothing.
struct ProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docfs-mount --probe",
        abstract: "Try what a store does with every condition, and say what follows from it.")

    @Argument(help: "s3://BUCKET/PREFIX?endpoint=…&region=…")
    var url: String

    func run() throws {
        let (table, refusal) = try StoreProbe(url: url).report()
        let lines = table.split(separator: "\n", omittingEmptySubsequences: false)
        print(lines.map { ShownText.line(String($0)) }.joined(separator: "\n"))
        if let refusal { throw MountFailure("\(url): \(refusal)") }
    }
}
