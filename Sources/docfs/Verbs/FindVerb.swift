internal import ArgumentParser

/// `docfs find`: documents by what is known of them.
struct FindVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find documents in all scopes by name, type, size, date and state.",
        discussion: """
            Everything that is asked for must hold; of several --name one is enough. Nothing is \
            downloaded: what is known of a document is enough. With --live it goes on, after an \
            empty line on a terminal, or a line "gathered" with --json: "+" a document that is \
            found from now on, "~" one that changed, "-" one that is found no more, until Ctrl-C.

            EXAMPLES:
              docfs find --name '*.pdf' --larger 10M --state not-here
              docfs find --state waiting --state failed Cloud
              docfs find --newer 2h --live
            """)

    @Argument(help: "Directories. (default: all scopes of the mount)", completion: .directory)
    var paths: [String] = []

    @Option(help: ArgumentHelp("A pattern for the name, as in the shell.", valueName: "glob"))
    var name: [String] = []

    @Option(
        help: ArgumentHelp(
            "file, directory, link, or a document type of the configuration: its key, or its "
                + "media type.", valueName: "type"),
        completion: .list(Predicate.Kind.allCases.map(\.rawValue)))
    var type: String?

    @Option(help: ArgumentHelp("Files of more than this: 500K, 10M, 2G.", valueName: "size"))
    var larger: String?

    @Option(help: ArgumentHelp("Files of less than this.", valueName: "size"))
    var smaller: String?

    @Option(
        help: ArgumentHelp(
            "Changed after this: 2026-03-01, \"2026-03-01 14:05\", or 2h, 3d ago.",
            valueName: "time"))
    var newer: String?

    @Option(help: ArgumentHelp("Changed before this.", valueName: "time"))
    var older: String?

    @Option(
        help: ArgumentHelp(
            "\(Predicate.State.allCases.map(\.rawValue).joined(separator: ", "));"
                + " all that are named must hold.", valueName: "state"))
    var state: [Predicate.State] = []

    @Option(
        help: ArgumentHelp(
            "Look through so many levels of directories only: 1 finds what lies in each that was "
                + "named.", valueName: "levels"))
    var depth: Int?

    @Flag(help: "Go on telling what is found from now on.")
    var live = false

    @Flag(help: "One JSON object a line, with all that is known.")
    var json = false

    @Flag(
        name: [.customShort("0"), .long],
        help: "End each path, as it is, with a zero byte, for xargs -0.")
    var null = false

    func validate() throws { _ = try predicate() }

    private func predicate() throws -> Predicate {
        func size(_ text: String?) throws -> UInt64? {
            guard let text else { return nil }
            guard let size = Size.bytes(text) else {
                throw ValidationError("'\(text)' is not a size, such as 10M")
            }
            return size
        }
        func time(_ text: String?) throws -> Moment? {
            guard let text else { return nil }
            guard let time = Moment(text) else {
                throw ValidationError("'\(text)' is not a time, such as 2026-03-01 or 2h")
            }
            return time
        }
        if let depth, depth < 1 { throw ValidationError("--depth is at least 1") }
        return try Predicate(
            names: name, kind: type.flatMap(Predicate.Kind.init), larger: size(larger),
            smaller: size(smaller),
            newer: time(newer), older: time(older), states: state, depth: depth)
    }

    /// Which names the documents of a type have.
    private func documents(of word: String, _ places: [Place]) throws -> (String) -> Bool {
        guard let status = try places.first?.mount.status() else { return { _ in false } }
        let keys = Set(
            status.types.filter { $0.type == word || $0.mime == word.lowercased() }.map(\.type))
        if keys.isEmpty {
            let known = status.types.map(\.type).joined(separator: ", ")
            throw Failure(
                "there is no document type '\(word)' (there are file, directory, link"
                    + (known.isEmpty ? "" : ", " + known) + ")")
        }
        return { name in status.type(of: name).map { keys.contains($0.type) } ?? false }
    }

    private func places() throws -> [Place] {
        let places =
            try paths.isEmpty
            ? [Place(mount: try Mount.only(), name: "", path: "")] : paths.map { try Place($0) }
        return try places.flatMap { place in
            if !place.path.isEmpty, !place.components.isEmpty { return [place] }
            // The root is no scope, and is not found itself.
            let point = place.mount.point
            return try Files.entries(of: point).map { entry in
                let path = point + "/" + entry.name
                return Place(mount: place.mount, name: told(path), path: path)
            }
        }
    }

    /// For people as short as it goes; programs may have another working directory.
    private func told(_ path: String) -> String { json ? path : RestoreVerb.told(path) }

    func run() throws {
        var predicate = try predicate()
        let places = try places()
        if let type, predicate.kind == nil { predicate.isOfType = try documents(of: type, places) }
        let complaints = Complaints()
        guard live, let mount = places.first?.mount else {
            _ = try gather(places, predicate, complaints)
            return try complaints.conclude()
        }
        var finding = LiveFinding(mount: mount, places: places, predicate: predicate, json: json)
        do {
            try Event.follow(mount) {
                try finding.begin(with: gather(places, predicate, complaints))
            } idle: {
                try finding.lookAgain()
            } _: { event, _ in
                try finding.take(event)
            }
        } catch Interruption.interrupted {
            return
        }
    }

    // MARK: What is there

    /// - Returns: what was found, with its identity, where that will be needed.
    private func gather(_ places: [Place], _ predicate: Predicate, _ complaints: Complaints) throws
        -> [String: String?]
    {
        var found: [String: String?] = [:]
        func take(_ item: Walk.Item, _ report: () throws -> DocumentReport) throws {
            try complaints.collect {
                guard try predicate.holds(item, report) else { return }
                if live { found[item.path] = .some(try report().id) }
                try tell(item, report)
            }
        }
        for place in places {
            try complaints.collect {
                try Walk.each(place.path, as: place.name, complaints) { item in
                    if item.path == place.path, item.isDirectory {
                        // A scope's own directory is not a document.
                        if !place.isScope { try take(item, item.report) }
                        // One directory is listed sooner than everything below it is told.
                        let isListed = predicate.depth == 1 && !predicate.needsReport
                        if isListed, !json, !live { return true }
                        return try !CatalogListing.each(below: place, names: name) {
                            (item, report) in
                            guard predicate.reaches(item.path, below: place) else { return }
                            try take(item) { report }
                        }
                    }
                    try take(item, item.report)
                    return predicate.reaches(into: item.path, below: place)
                }
            }
        }
        return found
    }

    private func tell(_ item: Walk.Item, _ report: () throws -> DocumentReport) throws {
        if json { return try Output.json(try report()) }
        if null { return Output.data(item.name + "\0") }
        Output.line(Self.shown(item.name))
    }

    /// A name by the line: what is no text goes to programs as it is.
    static func shown(_ name: String) -> Shown {
        Output.isTerminal ? Shown(name) : Shown(own: ByteText.shownKeepingBytes(name))
    }
}

extension Predicate.State: ExpressibleByArgument {}
