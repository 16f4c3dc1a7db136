internal import ArgumentParser
internal import Glibc

/// `docfs versions`: what a document was before.
struct VersionsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "List the earlier versions of a document, or destroy some.",
        discussion: """
            The newest first: number, when it was last changed, size, which device saved it, and \
            when it was replaced. The number is what docfs restore --version takes. To read one: \
            cat, cp or diff the path that --json gives. With --remove versions are destroyed, on \
            every device and for ever; on a terminal you are asked first.
            """)

    @Argument(help: "A document of a container.", completion: .file())
    var path: String

    @Option(
        help: ArgumentHelp(
            "Destroy a version, by its number or the beginning of its name, or 'all' of them.",
            valueName: "version"))
    var remove: [String] = []

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        if json, !remove.isEmpty {
            throw ValidationError("--remove cannot be combined with --json")
        }
    }

    func run() throws {
        let place = try Place(path)
        let versions = try KeptVersion.all(of: place)
        if !remove.isEmpty { return try remove(among: versions, of: place) }
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

    private func remove(among versions: [KeptVersion], of place: Place) throws {
        var chosen = Set<Int>()
        for text in remove where text != "all" {
            chosen.insert(try KeptVersion.chosen(text, among: versions, of: place).number)
        }
        if remove.contains("all") { chosen.formUnion(versions.map(\.number)) }
        // The newest first, so that removing one never renames the next.
        let going = versions.filter { chosen.contains($0.number) }
        guard !going.isEmpty else { return Output.line("it has no earlier versions") }
        let bytes = Size.text(going.reduce(0) { Size.sum($0, $1.size) })
        let count = going.count == 1 ? "1 version" : "\(going.count) versions"
        let inodes = try going.map { try Files.status(of: $0.path).st_ino }
        guard try Destroying.isConfirmed("\(count) (\(bytes))") else { return }
        for (index, (version, inode)) in zip(going, inodes).enumerated() {
            do {
                // Another device may have removed it, and its name may be another version's.
                guard try Files.exists(version.path) else { continue }
                guard try Files.status(of: version.path).st_ino == inode else {
                    throw Failure(
                        "\(version.name): is another version now; list the versions again")
                }
                try Files.remove(version.path)
            } catch {
                if index > 0 { Output.say("\(index) of \(count) destroyed") }
                throw error
            }
        }
        Output.line(
            "\(count) destroyed (\(bytes)); the bytes go from the container within minutes, "
                + "once it is reached")
    }
}
