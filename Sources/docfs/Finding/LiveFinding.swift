/// What `docfs find --live` has found, kept up with the mount's events.
struct LiveFinding {
    /// One line of `--json`.
    private struct Line: Encodable {
        let change: String
        let path: String
        let document: DocumentReport?
    }

    /// The line of `--json` behind the first results.
    private struct Gathered: Encodable {
        let change = "gathered"
        let count: Int
    }

    /// What became of a document, and the mark that people see.
    private enum Change: String {
        case added = "+"
        case changed = "~"
        case removed = "-"
    }

    private let mount: Mount
    private let places: [Place]
    private let predicate: Predicate
    private let json: Bool
    /// What is found at the moment, with its identity where it has one.
    private var found: [String: String?] = [:]
    /// Paths of the latest events: the kernel may not have known yet when they came.
    private var recent: Set<String> = []

    init(mount: Mount, places: [Place], predicate: Predicate, json: Bool) {
        self.mount = mount
        self.places = places
        self.predicate = predicate
        self.json = json
    }

    /// Tells that the first results are over.
    mutating func begin(with found: [String: String?]) throws {
        self.found = found
        if json {
            try Output.json(Gathered(count: found.count))
        } else if Output.isTerminal {
            Output.line(Shown(""))
        }
    }

    mutating func take(_ event: Event) throws {
        if event.event == "missed" { return try lookAnew() }
        if event.event == "online", predicate.states.contains(.failed), let scope = event.scope {
            // Reads that failed then are no longer failures.
            let below = mount.point + "/" + scope + "/"
            for path in found.keys.sorted() where path.hasPrefix(below) {
                try look(at: path, tellsChanges: false)
            }
        }
        guard let inner = event.inner, event.path != nil else { return }
        let path = try path(of: inner)
        if ["deleted", "left"].contains(event.event) {
            // It may have been known by another identity while it was being saved.
            let isGone = try !Files.exists(path)
            if !isGone { recent.insert(path) }
            return try forget { other, identity in
                let isThere = other == path || other.hasPrefix(path + "/")
                return Self.isSame(identity, event) || isGone && isThere
            }
        }
        // It has the new path only, and so has all that is in it.
        try forget { $0 != path && Self.isSame($1, event) }
        if let former = event.former {
            for old in Set([former, ByteText.decoded(former)]) {
                try follow(from: mount.point + "/" + old, to: path)
            }
        }
        for path in [path] + (try event.innerSibling.map { [try self.path(of: $0)] } ?? []) {
            try look(at: path, tellsChanges: true)
            recent.insert(path)
        }
    }

    /// Whether an identity that was found is that of an event; documents of this computer have
    /// none.
    private static func isSame(_ identity: String?, _ event: Event) -> Bool {
        identity != nil && identity == event.id
    }

    /// As it is spelled, or, where nothing is there, as `.docfs` writes it.
    private func path(of inner: String) throws -> String {
        let plain = mount.point + "/" + inner
        return try Files.exists(plain) ? plain : mount.point + "/" + ByteText.decoded(inner)
    }

    /// Once more, when the latest events are over.
    mutating func lookAgain() throws {
        for path in recent.sorted() { try look(at: path, tellsChanges: false) }
        recent = []
    }

    // MARK: Looking

    private mutating func look(at path: String, tellsChanges: Bool) throws {
        guard let name = name(of: path) else { return }
        var isFound = false
        do {
            let isDirectory = try Files.isDirectory(path)
            isFound = try predicate.holds(
                Walk.Item(path: path, name: name, isDirectory: isDirectory))
        } catch is Failure {
            // It has gone.
        }
        if !isFound { return try forget { other, _ in other == path } }
        let isNew = found.updateValue(identity(of: path), forKey: path) == nil
        if isNew { return try tell(.added, path) }
        if tellsChanges { try tell(.changed, path) }
    }

    /// Looks for what was found in a directory where that is now, and for what is found there only.
    private mutating func follow(from old: String, to new: String) throws {
        let isGone = try !Files.exists(old)
        try forget { path, _ in isGone && path == old || path.hasPrefix(old + "/") }
        var paths: [String] = []
        for place in places {
            let isBelow = new.hasPrefix(place.path + "/")
            guard isBelow || place.path.hasPrefix(new + "/") else { continue }
            let top = isBelow ? new : place.path
            do {
                guard try Files.isDirectory(top) else { continue }
                try Walk.each(top, as: top, Complaints()) { item in
                    if item.path != new { paths.append(item.path) }
                    return predicate.reaches(into: item.path, below: place)
                }
            } catch is Failure {
                // It has gone again.
            }
        }
        for path in paths {
            try look(at: path, tellsChanges: true)
            recent.insert(path)
        }
    }

    private mutating func forget(where isGone: (String, String?) -> Bool) throws {
        for path in found.filter({ isGone($0.key, $0.value) }).keys.sorted() {
            found[path] = nil
            try tell(.removed, path)
        }
    }

    /// Events were missed: everything is looked at.
    private mutating func lookAnew() throws {
        for path in found.keys.sorted() { try look(at: path, tellsChanges: false) }
        var paths: [String] = []
        for place in places {
            try Walk.each(place.path, as: place.name, Complaints()) { item in
                paths.append(item.path)
                return predicate.reaches(into: item.path, below: place)
            }
        }
        for path in paths where found[path] == nil { try look(at: path, tellsChanges: false) }
    }

    /// As it is told; `nil` when the path lies nowhere that was asked for.
    private func name(of path: String) -> String? {
        let place = places.first {
            (path.hasPrefix($0.path + "/") || path == $0.path && !$0.isScope)
                && predicate.reaches(path, below: $0)
        }
        return place.map { $0.name + path.dropFirst($0.path.count) }
    }

    /// `nil` for what is no document of a container, or has gone again: then its path tells.
    private func identity(of path: String) -> String? {
        try? Files.attribute("user.docfs.id", of: path)
    }

    private func tell(_ change: Change, _ path: String) throws {
        let name = name(of: path) ?? path
        if json {
            // What has gone again is told of without its state; that it has comes next.
            let report =
                change == .removed ? nil : try? DocumentReport(path, as: ByteText.encoded(name))
            try Output.json(
                Line(change: "\(change)", path: ByteText.encoded(name), document: report))
        } else {
            Output.line("\(change.rawValue) \(FindVerb.shown(name))")
        }
    }
}
