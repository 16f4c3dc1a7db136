/// What readers of events know of an item that this device shows (S29).
///
/// Pure: two of them say what happened in between.
struct ShownItem: Hashable, Sendable {
    /// Which bytes a document has.
    enum Bytes: Hashable, Sendable {
        /// It is a directory, or has none of its own.
        case none
        /// Those that the store has under a revision.
        case stored(Revision?)
        /// Those of a file of this device, as they were after so many changes.
        case own(ino: Int64, generation: Int64)
        case link(target: [UInt8]?)
    }

    /// A path, and what can be there in its place.
    struct Place: Hashable {
        let path: ItemPath
        let isDirectory: Bool
    }

    /// Something that happened to it by this device.
    enum Change: Hashable, Sendable {
        case made, edited, deleted
        case moved(from: ItemPath)
    }

    var path: ItemPath
    var isDirectory: Bool
    var bytes: Bytes
    /// Without the time of a directory, which each change in it moves.
    var metadata: Metadata

    init(path: ItemPath, isDirectory: Bool, bytes: Bytes, metadata: Metadata) {
        self.path = path
        self.isDirectory = isDirectory
        self.bytes = bytes
        self.metadata = metadata
        if isDirectory { self.metadata.modified = .zero }
    }

    var place: Place { Place(path: path, isDirectory: isDirectory) }

    /// What happened between two looks; `nil` is an item that was, or is, not there.
    static func changes(from old: ShownItem?, to new: ShownItem?) -> [Change] {
        guard let old else { return new == nil ? [] : [.made] }
        guard let new else { return [.deleted] }
        var changes: [Change] = []
        if old.path != new.path { changes.append(.moved(from: old.path)) }
        if old.bytes != new.bytes || old.metadata != new.metadata { changes.append(.edited) }
        return changes
    }
}
