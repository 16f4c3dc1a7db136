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
        let longest = Self.isOwn(path) ? Self.longest : Self.longest - Self.reserve
        guard key.utf8.count <= longest else { throw .nameTooLong }
        return key
    }

    /// The key that says that there is a tombstone at `key`, or what those below a directory begin
    /// with.
    func tombstone(_ key: String) -> String {
        let rest = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        return prefix + ".docfs/tombstones/" + rest
    }

    /// The key at which there may be a tombstone, since there is an object at `note` that says so;
    /// `nil` for other keys.
    func buried(saidBy note: String) -> String? {
        let place = tombstone(prefix)
        guard note.utf8.starts(with: place.utf8) else { return nil }
        return prefix + String(decoding: note.utf8.dropFirst(place.utf8.count), as: UTF8.self)
    }

    /// Whether `key` is the bucket's, or that of an object which marks a directory: no document is
    /// there.
    ///
    /// A path ends there whose last name stands for nothing between two slashes.
    static func isMarker(_ key: String) -> Bool { key.isEmpty || key.utf8.last == 0x2F }

    /// Whether `path` belongs to the container itself.
    static func isOwn(_ path: ItemPath) -> Bool { path.components.first == ".docfs" }
}
