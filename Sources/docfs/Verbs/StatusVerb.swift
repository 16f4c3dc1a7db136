internal import ArgumentParser

/// `docfs status`: the mount, or documents of it.
struct StatusVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say how the containers are doing, or documents.",
        discussion: """
            Without PATH: for each container whether it is reachable, how many documents it has \
            and how many bytes of them are here, what waits to be sent, what is moving, how fast \
            and for how long still, what failed and why, and what waits for you. With PATH a line \
            for each: where its bytes are, whether the container has it, size, time, name, and \
            what is wrong with it; of a directory, a line for each document in it.
            """)

    @Argument(help: "Documents, directories, or a mount. (default: the mount)", completion: .file())
    var paths: [String] = []

    @Flag(
        help: """
            Carry out the deletes that are held back because they are more than half of a container.
            """)
    var confirmDeletes = false

    @Flag(help: "One JSON object for the mount, or one a line for each document.")
    var json = false

    func run() throws {
        let places = try paths.map { try Place($0) }
        if confirmDeletes { return try confirm(places) }
        if places.isEmpty { return try tell(try Mount.only()) }
        let complaints = Complaints()
        var table = Table()
        for place in places {
            try complaints.collect {
                if place.components.isEmpty { return try tell(place.mount) }
                try tell(place, &table, complaints)
            }
        }
        table.print()
        try complaints.conclude()
    }

    // MARK: Documents

    private func tell(_ place: Place, _ table: inout Table, _ complaints: Complaints) throws {
        guard try Files.isDirectory(place.path) else {
            return try tell(place.path, as: place.name, &table)
        }
        let slash = place.name.hasSuffix("/") ? "" : "/"
        for entry in try Files.entries(of: place.path) {
            try Interruption.check()
            try complaints.collect {
                try tell(
                    place.path + "/" + entry.name, as: place.name + slash + entry.name, &table)
            }
        }
    }

    private func tell(_ path: String, as name: String, _ table: inout Table) throws {
        let report = try DocumentReport(path, as: json ? ByteText.encoded(name) : name)
        if json { return try Output.json(report) }
        let modified = try Files.status(of: path).modified
        let isWrong = report.error?.isEmpty == false || (report.conflicts ?? 0) > 0
        table.add([
            Table.Cell(report.words[0], report.download == "none" ? .dim : nil),
            Table.Cell(report.words[1], colour(report)),
            Table.Cell(
                report.type == "directory" ? "" : Size.text(report.size), isRight: true),
            Table.Cell(modified.text, .dim),
            Table.Cell(
                name + (report.type == "directory" ? "/" : ""),
                report.type == "directory" ? .bold : nil),
            Table.Cell(report.remarks.joined(separator: "; "), isWrong ? .red : .dim),
        ])
    }

    private func colour(_ report: DocumentReport) -> Output.Colour? {
        switch report.upload {
        case "error": .red
        case "waiting", "uploading": .yellow
        case "uploaded": .green
        default: .dim
        }
    }

    // MARK: The mount

    private func tell(_ mount: Mount) throws {
        var status = try mount.status()
        for index in status.scopes.indices {
            let path = mount.point + "/" + status.scopes[index].name
            func count(_ name: String) throws -> UInt64? {
                try Files.attribute("user.docfs." + name, of: path).flatMap { UInt64($0) }
            }
            status.scopes[index].bytes = try count("bytes")
            status.scopes[index].bytesHere = try count("bytes.here")
            status.scopes[index].bytesWaiting = try count("bytes.waiting")
            status.scopes[index].escaped = try count("escaped")
        }
        if json { return try Output.json(status) }
        Output.line(Output.coloured("DocFS on \(mount.point)", .bold))
        for note in status.notes ?? [] { Output.line(Output.coloured(Shown(note), .yellow)) }
        for scope in status.scopes {
            Output.line("")
            tell(scope)
        }
    }

    private func tell(_ scope: MountStatus.Scope) {
        let words = scope.online ? "online" : "offline"
        let reason = scope.error.map { (scope.online ? ", but " : ": ") + $0 } ?? ""
        let colour: Output.Colour = !scope.online ? .red : scope.error == nil ? .green : .yellow
        Output.line(
            Output.coloured(Shown(scope.name), .bold) + "  "
                + Output.coloured(Shown(words + reason), colour))
        var table = Table()
        func add(_ label: String, _ text: String, _ colour: Output.Colour? = nil) {
            table.add([Table.Cell("  " + label), Table.Cell(text, colour)])
        }
        if scope.log != nil { add("log", "docfs doctor --repair says what can be done", .red) }
        if scope.mending == true { add("log", "is being mended", .yellow) }
        add(
            "documents",
            "\(scope.documents), \(Size.text(scope.bytes ?? 0)), "
                + "\(Size.text(scope.bytesHere ?? 0)) of it here")
        add("store", scope.store)
        if let guarantee = scope.guarantee { add("", guarantee) }
        if let alone = scope.alone { add("", alone, .yellow) }
        if let unseen = scope.unseen {
            add("", "changes by other programs are found late: \(unseen)", .yellow)
        }
        if scope.left > 0 {
            let sending = scope.uploading > 0 ? ", \(scope.uploading) being sent" : ""
            add(
                "waiting", "\(scope.left)\(sending)", .yellow)
        } else {
            add("waiting", "nothing, all is stored")
        }
        if let paths = scope.open, !paths.isEmpty {
            add("open", "in programs that write into them: docfs flush sends them now", .yellow)
            for path in paths { add("", path) }
        }
        if let outdated = scope.outdated, !outdated.isEmpty {
            add("outdated", "others have saved newer versions, which are not shown yet:", .yellow)
            for document in outdated { add("", document.text) }
        }
        if let sending = scope.sending, sending.total > 0 {
            // What waits for its turn is still to go as well.
            add("sending", moving(sending, of: max(sending.total, scope.bytesWaiting ?? 0)))
        }
        if scope.downloading > 0 { add("downloads", "\(scope.downloading)") }
        if let receiving = scope.receiving, receiving.total > 0 {
            add("receiving", moving(receiving, of: receiving.total))
        }
        if let escaped = scope.escaped, escaped > 0 {
            add("escaped", "\(escaped), whose names Linux cannot hold: docfs find --name 'docfs-*'")
        }
        if scope.excluded > 0 {
            add("excluded", "\(scope.excluded), which stay on this computer only")
        }
        if let leaving = scope.leavingVersions, leaving > 0 {
            add("versions", "\(leaving) removed, not yet gone from the store")
        }
        if scope.conflicts > 0 {
            add("conflicts", "\(scope.conflicts): docfs conflicts names them", .red)
        }
        if !scope.failures.isEmpty {
            add("failed", "\(scope.failures.count), tried again from time to time", .red)
            for failure in scope.failures { add("", "\(failure.path): \(failure.error)") }
        }
        if let changes = scope.setAside, !changes.isEmpty {
            add("set aside", "\(changes.count) changes in the log that break its rules:", .yellow)
            for change in changes { add("", change) }
        }
        if let paths = scope.leftOut, !paths.isEmpty {
            add("left out", "other programs' documents whose names folders have:", .yellow)
            for path in paths { add("", path) }
        }
        if let lines = scope.unlisted, !lines.isEmpty {
            add("unlisted", "directories of the store that may not be listed:", .yellow)
            for line in lines { add("", line) }
        }
        if scope.heldDeletes > 0 {
            add(
                "deletes",
                "\(scope.heldDeletes) are held back, since they are more than half of all:",
                .red)
            add("", "docfs status --confirm-deletes carries them out")
        }
        table.print()
    }

    private func moving(_ transfer: MountStatus.Scope.Transfer, of total: UInt64) -> String {
        let text = "\(Size.text(transfer.done)) of \(Size.text(total))"
        guard transfer.rate > 0 else { return text }
        let left = Double(total - min(transfer.done, total)) / Double(transfer.rate)
        return text + ", \(Size.text(transfer.rate))/s, \(Progress.time(left)) left"
    }

    // MARK: Held deletes

    private func confirm(_ places: [Place]) throws {
        var count = 0
        for mount in try Mount.all(of: paths) {
            let named = places.filter { $0.mount == mount && !$0.components.isEmpty }
            for scope in try mount.status().scopes where scope.heldDeletes > 0 {
                if !named.isEmpty, !named.contains(where: { $0.scope == scope.name }) { continue }
                let path = mount.point + "/" + scope.name
                let code = Files.setAttribute("user.docfs.confirm-deletes", of: path, to: "yes")
                if code != 0 { throw Failure(path, code) }
                Output.line("\(scope.name): \(scope.heldDeletes) deletes are carried out")
                count += 1
            }
        }
        if count == 0 { Output.line("no deletes are held back") }
    }
}
