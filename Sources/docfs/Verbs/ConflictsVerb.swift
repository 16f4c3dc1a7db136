internal import ArgumentParser

/// `docfs conflicts`: what waits for a decision.
struct ConflictsVerb: ParsableCommand {
    /// One line of `--json`.
    private struct Line: Encodable {
        struct Version: Encodable {
            let version: ConflictVersion
            let difference: String?

            func encode(to encoder: any Encoder) throws {
                try version.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encodeIfPresent(difference, forKey: .difference)
            }

            enum Key: String, CodingKey { case difference }
        }

        let document: String?
        let versions: [Version]
    }

    static let configuration = CommandConfiguration(
        commandName: "conflicts",
        abstract: "List the documents that two devices edited, and who made which version.",
        discussion: """
            Each document with its versions: number, who made it, when, size, and how it differs \
            from the current one. docfs resolve PATH settles it.
            """)

    @Argument(
        help: "Documents, directories or mounts. (default: the only mount)",
        completion: .file())
    var paths: [String] = []

    @Flag(help: "One JSON object a line.")
    var json = false

    func run() throws {
        var conflicts: [Conflict] = []
        var lonely: [String] = []
        var open: [String] = []
        let complaints = Complaints()
        func addAll(of mount: Mount) throws {
            conflicts += try Conflict.all(in: mount)
            lonely += try Conflict.withoutDocument(in: mount)
            open += try mount.openConflicts()
        }
        if paths.isEmpty { try addAll(of: try Mount.only()) }
        for path in paths {
            try complaints.collect {
                let place = try Place(path)
                if place.components.isEmpty { return try addAll(of: place.mount) }
                conflicts += try Conflict.of(place)
            }
        }
        if conflicts.isEmpty, lonely.isEmpty, open.isEmpty, !json, paths.isEmpty {
            Output.line("no conflicts")
        }
        for conflict in conflicts {
            try Interruption.check()
            if json { try tellJSON(conflict) } else { tell(conflict) }
        }
        for path in lonely { try tell(withoutDocument: path) }
        for path in open { try tell(open: path) }
        try complaints.conclude()
    }

    private func tell(withoutDocument path: String) throws {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let version = try ConflictVersion(
            number: 2, device: ConflictVersion.device(ofSibling: name), path: path)
        if json {
            return try Output.json(
                Line(document: nil, versions: [Line.Version(version: version, difference: nil)]))
        }
        Output.line(Output.coloured(Shown(RestoreVerb.told(path)), .bold))
        Output.line("  its document has gone: mv it to a name of its own, or rm it")
    }

    private func tell(open path: String) throws {
        if json { return try Output.json(Line(document: ByteText.encoded(path), versions: [])) }
        Output.line(Output.coloured(Shown(RestoreVerb.told(path)), .bold))
        Output.line("  open: its conflict version is shown here when it is closed")
    }

    private func tell(_ conflict: Conflict) {
        Output.line(Output.coloured(Shown(RestoreVerb.told(conflict.path)), .bold))
        var table = Table()
        for version in conflict.versions {
            let difference = version.number == 1 ? "" : conflict.difference(of: version)
            table.add(version.cells + [Table.Cell(difference)])
        }
        table.print()
    }

    private func tellJSON(_ conflict: Conflict) throws {
        let versions = conflict.versions.map { version in
            Line.Version(
                version: version,
                difference: version.number == 1 ? nil : conflict.difference(of: version))
        }
        try Output.json(Line(document: ByteText.encoded(conflict.path), versions: versions))
    }
}

extension ConflictVersion {
    /// As lists of versions show it: number, who, when, size.
    var cells: [Table.Cell] {
        [
            Table.Cell("  \(number)", .bold),
            Table.Cell(device.map { "from \($0)" } ?? "current"),
            Table.Cell(modifiedText),
            Table.Cell(Size.text(size), isRight: true),
        ]
    }
}
