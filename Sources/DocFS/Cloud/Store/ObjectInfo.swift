/// One object or directory as the store has it now.
package struct ObjectInfo: Hashable, Sendable {
    package var path: ItemPath
    package var kind: ItemKind
    /// Bytes; 0 for directories, the target's length for symbolic links.
    package var size: UInt64
    /// `nil` for directories.
    package var revision: Revision?
    /// When the body was modified, where the store keeps it.
    package var modified: Timestamp
    /// Permission bits, where the store keeps them.
    package var mode: UInt16?
    /// The permission bits that a new item gets.
    ///
    /// Where the store keeps none, as on S3 for what other programs put there: those of a new file,
    /// directory or link under the usual umask of 022. One that its owner may not enter
    /// would be of no use to anybody but root.
    var permissions: UInt16 {
        if let mode { return mode }
        switch kind {
        case .file: return 0o644
        case .directory: return 0o755
        case .symlink: return 0o777
        }
    }
    /// Where a symbolic link points.
    package var target: [UInt8]?
    /// What we wrote beside the body.
    ///
    /// `nil` when nobody of ours wrote the object, or when another program changed the body since
    /// (then the metadata no longer speaks of it).
    package var metadata: ObjectMetadata?
    /// The item that the metadata named before another program changed the body: the id is kept for
    /// the path.
    ///
    /// Known where metadata stays when the body changes (`capabilities.metadataInPlace`).
    package var formerItem: ItemID?
    /// Whether the store told what is beside the body.
    ///
    /// Where it refuses to, an object may be one of ours, and what looks like a file may be a link.
    package var isDescribed = true
    /// For how long the store has had this body, by its own clock, in seconds; `nil` where a
    /// listing does not tell for sure.
    package var age: Int64?

    package init(
        path: ItemPath, kind: ItemKind, size: UInt64, revision: Revision?, modified: Timestamp,
        mode: UInt16? = nil, target: [UInt8]? = nil, metadata: ObjectMetadata? = nil,
        formerItem: ItemID? = nil
    ) {
        self.path = path
        self.kind = kind
        self.size = size
        self.revision = revision
        self.modified = modified
        self.mode = mode
        self.target = target
        self.metadata = metadata
        self.formerItem = formerItem
    }
}
