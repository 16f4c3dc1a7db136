internal import ArgumentParser

/// `docfs trash`: what was deleted.
struct TrashVerb: ParsableCommand {
    /// One line of `--json`.
    private struct Line: Encodable {
        let path: String
        let type: String
        let size: UInt64
        let modified: String
        let deleted: String
    }

    static let configuration = CommandConfiguration(
        commandName: "trash",
        abstract: "List what was deleted, bring it back, or destroy it.",
        discussion: """
            When it was deleted, its size, and the path that docfs restore takes. The trash of a \
            container is the same on every device, and keeps what was deleted for 30 days. With \
            --empty what is listed is destroyed, on every device and for ever, with the earlier \
            versions that were kept of it; on a terminal you are asked first.
            """)

    @Argument(help: "Directories, or mounts. (default: the only mount)", completion: .directory)
    var paths: [String] = []

    @Option(
        help: ArgumentHelp("Bring this back, as docfs restore does.", valueName: "path"),
        completion: .custom(Completion.deleted))
    var restore: [String] = []

    @Flag(help: "Destroy what was deleted.")
    var empty = false

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        if empty, json || !restore.isEmpty {
            throw ValidationError("--empty goes with neither --restore nor --json")
        }
    }

    func run() throws {
        if empty { return try Emptying(tops()).run() }
        let complaints = Complaints()
        if !restore.isEmpty {
            for path in restore {
                try complaints.collect {
                    let place = try Place(path).inCloud()
                    guard let deleted = try DeletedItem.latest(at: place) else {
                        throw Failure("\(place.name): is not in the trash")
                    }
                    try RestoreVerb.restore(deleted, to: nil)
                }
            }
            return try complaints.conclude()
        }
        var table = Table()
        for (mount, inner) in try tops() {
            let top = mount.control("trash" + (inner.isEmpty ? "" : "/" + inner))
            // A directory of which nothing was deleted is not there.
            guard try Files.exists(top) else { continue }
            try Walk.each(top, as: inner, complaints) { item in
                try complaints.collect { try tell(item, mount, &table) }
                return true
            }
        }
        table.print()
        try complaints.conclude()
    }

    private func tops() throws -> [(Mount, String)] {
        if paths.isEmpty { return [(try Mount.only(), "")] }
        return try paths.map {
            let place = try Place($0)
            return (place.mount, place.inner)
        }
    }

    private func tell(_ item: Walk.Item, _ mount: Mount, _ table: inout Table) throws {
        let status = try Files.status(of: item.path)
        if item.isDirectory { return }
        let path = mount.point + "/" + item.name
        if json {
            return try Output.json(
                Line(
                    path: ByteText.encoded(path), type: status.isFile ? "file" : "link",
                    size: status.size, modified: status.modified.isoText,
                    deleted: status.changed.isoText))
        }
        table.add([
            Table.Cell("deleted \(status.changed.text)", .dim),
            Table.Cell(Size.text(status.size), isRight: true),
            Table.Cell(RestoreVerb.told(path)),
        ])
    }
}
