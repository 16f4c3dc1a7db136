/// Where the paths of a container lie in its bucket.
struct S3Keys: Sendable {
    /// What every key begins with: empty, or names each followed by a slash.
    let prefix: String

    /// The longest key that stores take, in bytes (Amazon S3 User Guide, "Naming objects").
    private static let longest = 1024
    /// What goes before a document's path when it is in the trash, which must hold it too.
    private static let reserve = 64

    /// The key of the object at `path`.
    ///
    /// - Parameter long: the components of names that stand for longer ones.
    /// - Throws: `.invalidArgument` for the root and names that Linux does not hold, `.nameTooLong`
    ///   for what does not fit into a key.
    func key(_ path: ItemPath, long: [Name: String] = [:]) throws(DocFSError) -> String {
        guard !path.isRoot else { throw .invalidArgument }
        for name in path.components where !name.isValid {
            throw name.bytes.count > Name.maximumLength ? .nameTooLong : .invalidArgument
        }
        let components = path.components.map { long[$0] ?? S3Name.component(of: $0) }
        let key = prefix + components.joined(separator: "/")
        guard key.utf8.count <= Self.longest else { throw .nameTooLong }
        return key
    }

    /// Whether `key` holds a document's body, current, earlier or in the trash: a refusal of any
    /// other key is the container's trouble.
    func isOfDocument(_ key: String) -> Bool {
        guard key.utf8.starts(with: own.utf8) else { return true }
        let rest = key.utf8.dropFirst(own.utf8.count)
        return ["versions/", "trash/", "found/"].contains { rest.starts(with: $0.utf8) }
    }

    /// Whether what is made at `key` could be kept in the trash: other programs' objects with
    /// longer keys are shown, and stay.
    func mayBeMade(_ key: String) -> Bool {
        key.utf8.starts(with: own.utf8) || key.utf8.count <= Self.longest - Self.reserve
    }

    /// The key of the note about a tombstone at `key`; `nil` where it would be too long, so that
    /// there is no tombstone either.
    func tombstone(_ key: String) -> String? {
        let note = tombstones(below: key)
        return note.utf8.count <= Self.longest ? note : nil
    }

    /// The prefix of the notes about tombstones below `prefix`.
    func tombstones(below prefix: String) -> String {
        let rest = String(decoding: prefix.utf8.dropFirst(self.prefix.utf8.count), as: UTF8.self)
        return own + "tombstones/" + rest
    }

    /// The key at which there may be a tombstone, since there is an object at `note` that says so;
    /// `nil` for other keys.
    func buried(saidBy note: String) -> String? {
        let place = tombstones(below: prefix)
        guard note.utf8.starts(with: place.utf8) else { return nil }
        return prefix + String(decoding: note.utf8.dropFirst(place.utf8.count), as: UTF8.self)
    }

    /// The prefixes that this one lies in, from the bucket's own, the empty one, on.
    var around: [String] {
        let names = prefix.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        return names.indices.map { names[..<$0].map { "\($0)/" }.joined() }
    }

    /// The prefix of the container's own keys.
    var own: String { prefix + ".docfs/" }

    /// Whether `key` is the bucket's, or that of an object which marks a directory: no document is
    /// there.
    ///
    /// A path ends there whose last name stands for nothing between two slashes.
    static func isMarker(_ key: String) -> Bool { key.isEmpty || key.utf8.last == 0x2F }

    /// Whether `path` belongs to the container itself.
    static func isOwn(_ path: ItemPath) -> Bool { path.components.first == ".docfs" }
}
