/// One object or directory of a ``MemoryStore``.
struct MemoryEntry: Sendable {
    /// The name as its maker spelled it.
    var name: Name
    var kind: ItemKind
    var bytes: [UInt8] = []
    var target: [UInt8]?
    var revision: Revision?
    var modified: Timestamp
    var mode: UInt16
    var metadata: ObjectMetadata?
    var formerItem: ItemID?
    /// When it came here or was changed, by the store's clock.
    var stored: Timestamp = .zero
    /// A directory that nobody made: it goes with its last object.
    var isImplied = false

    func info(at path: ItemPath) -> ObjectInfo {
        ObjectInfo(
            path: path, kind: kind, size: UInt64(target?.count ?? bytes.count),
            revision: revision, modified: modified, mode: kind == .symlink ? nil : mode,
            target: target, metadata: metadata, formerItem: formerItem)
    }

    func age(at path: ItemPath) -> StoredObject {
        StoredObject(path: path, kind: kind, revision: revision, stored: stored)
    }
}
