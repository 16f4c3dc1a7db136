/// A document with its conflict versions, as they were when it was looked at.
struct Conflict {
    let mount: Mount
    /// The document's path; the first version is there.
    let path: String
    /// The current one first, then the siblings by the names that they have.
    let versions: [ConflictVersion]

    var siblings: ArraySlice<ConflictVersion> { versions.dropFirst() }

    /// For people: from the mount's root on.
    var name: String { String(path.dropFirst(mount.point.count + 1)) }

    /// All conflicts of a mount, by the documents' paths.
    static func all(in mount: Mount) throws -> [Conflict] {
        var siblings: [String: [String]] = [:]
        for (document, sibling) in try mount.conflicts() {
            // Where the document has gone, its siblings stand for themselves.
            if let document { siblings[document, default: []].append(sibling) }
        }
        return try siblings.keys.sorted().compactMap { path in
            // It may have been resolved a moment ago.
            guard try Files.exists(path) else { return nil }
            let found = try siblings[path, default: []].sorted().filter(Files.exists)
            guard let current = try version(1, path, device: nil) else { return nil }
            let others = try found.enumerated().compactMap { index, sibling in
                let name = sibling.split(separator: "/").last.map(String.init) ?? ""
                return try version(
                    index + 2, sibling, device: ConflictVersion.device(ofSibling: name))
            }
            if others.isEmpty { return nil }
            return Conflict(mount: mount, path: path, versions: [current] + others)
        }
    }

    /// `nil` where it has gone meanwhile.
    private static func version(_ number: Int, _ path: String, device: String?) throws
        -> ConflictVersion?
    {
        do {
            return try ConflictVersion(number: number, device: device, path: path)
        } catch let failure as Failure {
            if try Files.exists(path) { throw failure }
            return nil
        }
    }

    /// Conflict versions whose document has gone: each stands for itself, until it is moved to
    /// another name or removed.
    static func withoutDocument(in mount: Mount) throws -> [String] {
        try mount.conflicts().filter { $0.document == nil }.map(\.sibling).sorted()
    }

    /// Those of a document, of a sibling, or of everything below a directory.
    static func all(in place: Place) throws -> [Conflict] {
        try all(in: place.mount).filter { conflict in
            place.contains(conflict.path) || conflict.siblings.contains { $0.path == place.path }
        }
    }

    /// At least one of those.
    ///
    /// Throws a sentence where there is none.
    static func of(_ place: Place) throws -> [Conflict] {
        let found = try all(in: place)
        if !found.isEmpty { return found }
        _ = try Files.status(of: place.path)
        let isOpen = try place.mount.openConflicts().contains(place.path)
        throw Failure(
            isOpen
                ? "\(place.name): is open: its conflict version is shown here when it is closed"
                : "\(place.name): has no conflict")
    }

    /// Whether nothing was changed since this was looked at.
    ///
    /// Throws a sentence if something was.
    func checkUnchanged() throws {
        let now = try Conflict.all(in: mount).first { $0.path == path }
        func marks(_ conflict: Conflict?) -> [String] {
            conflict?.versions.map { "\($0.path) \($0.size) \($0.modified)" } ?? []
        }
        if marks(now) != marks(self) {
            throw Failure("\(name): has changed meanwhile; look at it again")
        }
    }

    /// Returns when the container has these versions as they are here.
    ///
    /// Throws a sentence when it cannot have them now.
    func store(_ versions: [ConflictVersion]) throws {
        do {
            try Sending.all(
                of: versions.map(\.item), before: Place(mount: mount, name: name, path: path))
        } catch Interruption.interrupted {
            Output.say("\(name): nothing was done")
            throw Interruption.interrupted
        }
    }

    /// Whether nothing was changed since this was looked at, and the container has these versions
    /// as they are now.
    ///
    /// Throws a sentence if not.
    func check(_ versions: [ConflictVersion]) throws {
        try checkUnchanged()
        for version in versions { try Sending.check(version.item) }
    }

    // MARK: Comparing

    /// Larger ones are told by size and date alone.
    private static let comparableSize: UInt64 = 1 << 20

    /// How a sibling differs from the current version, in words.
    func difference(of sibling: ConflictVersion) -> String {
        guard versions[0].size <= Self.comparableSize, sibling.size <= Self.comparableSize else {
            return "large"
        }
        // Of many conflicts the others are told all the same.
        guard let comparison = try? compare(sibling) else { return "cannot be read now" }
        return comparison.summary
    }

    /// Reads both versions, which fetches what is not here.
    func compare(_ sibling: ConflictVersion) throws -> Comparison {
        try Comparison(
            old: Document.bytes(of: path), new: Document.bytes(of: sibling.path))
    }
}
