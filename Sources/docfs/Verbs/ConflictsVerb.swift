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
        /// Whether the document is open, and another version is shown when it is closed.
        var open: Bool?
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
        // Documents that are open, and those of them that were asked for.
        var (open, waiting): (Set<String>, Set<String>) = ([], [])
        let complaints = Complaints()
        func addAll(of mount: Mount) throws {
            conflicts += try Conflict.all(in: mount)
            lonely += try Conflict.withoutDocument(in: mount)
            let all = try mount.openConflicts()
            open.formUnion(all)
            waiting.formUnion(all)
        }
        if paths.isEmpty { try addAll(of: try Mount.only()) }
        for path in paths {
            try complaints.collect {
                let place = try Place(path)
                if place.components.isEmpty { return try addAll(of: place.mount) }
                open.formUnion(try place.mount.openConflicts())
                let below = open.filter(place.contains)
                let alone = try Conflict.withoutDocument(in: place.mount).filter(place.contains)
                let isAnswered = !below.isEmpty || !alone.isEmpty
                waiting.formUnion(below)
                lonely += alone
                conflicts += try isAnswered ? Conflict.all(in: place) : Conflict.of(place)
            }
        }
        if conflicts.isEmpty, lonely.isEmpty, waiting.isEmpty, !json, paths.isEmpty {
            Output.line("no conflicts")
        }
        var told: Set<String> = []
        for conflict in conflicts where told.insert(conflict.path).inserted {
            try Interruption.check()
            let isOpen = open.contains(conflict.path)
            if json { try tellJSON(conflict, isOpen) } else { tell(conflict, isOpen) }
        }
        for path in Set(lonely).sorted() { try tell(withoutDocument: path) }
        for path in waiting.subtracting(told).sorted() { try tell(open: path) }
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
        if json {
            return try Output.json(
                Line(document: ByteText.encoded(path), versions: [], open: true))
        }
        Output.line(Output.coloured(Shown(RestoreVerb.told(path)), .bold))
        tellOpen()
    }

    private func tellOpen() {
        Output.line("  open: its conflict version is shown here when it is closed")
    }

    private func tell(_ conflict: Conflict, _ isOpen: Bool) {
        Output.line(Output.coloured(Shown(RestoreVerb.told(conflict.path)), .bold))
        var table = Table()
        for version in conflict.versions {
            let difference = version.number == 1 ? "" : conflict.difference(of: version)
            table.add(version.cells + [Table.Cell(difference)])
        }
        table.print()
        if isOpen { tellOpen() }
    }

    private func tellJSON(_ conflict: Conflict, _ isOpen: Bool) throws {
        let versions = conflict.versions.map { version in
            Line.Version(
                version: version,
                difference: version.number == 1 ? nil : conflict.difference(of: version))
        }
        try Output.json(
            Line(
                document: ByteText.encoded(conflict.path), versions: versions,
                open: isOpen ? true : nil))
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
