internal import ArgumentParser

/// `docfs versions`: what a document was before.
struct VersionsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "List the earlier versions of a document.",
        discussion: """
            The newest first: number, when it was last changed, size, which device saved it, and \
            when it was replaced. The number is what docfs restore --version takes. To read one: \
            cat, cp or diff the path that --json gives.
            """)

    @Argument(help: "A document of a container.", completion: .file())
    var path: String

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() throws {
        let versions = try KeptVersion.all(of: try Place(path))
        if json { return try versions.forEach { try Output.json($0) } }
        if versions.isEmpty { return Output.line("it has no earlier versions") }
        var table = Table()
        for version in versions {
            table.add([
                Table.Cell("\(version.number)", .bold, isRight: true),
                Table.Cell(Moment(utc: version.modified)?.secondsText ?? ""),
                Table.Cell(Size.text(version.size), isRight: true),
                Table.Cell("saved by \(version.device)"),
                Table.Cell("replaced \(version.replacedText)", .dim),
            ])
        }
        table.print()
    }
}
