/// What an intended write will have put at its path, by which a repeated one knows its own work.
struct ExpectedObject: Sendable {
    /// `nil` for the container's own files: those are never recognised, their condition decides.
    var metadata: ObjectMetadata?
    /// Bytes of a file.
    var size: UInt64
    /// Where a symbolic link points; `nil` for files.
    var target: [UInt8]?

    init(_ object: ObjectWrite) {
        metadata = object.metadata
        switch object.payload {
        case .bytes(_, let size):
            self.size = size
        case .symlink(let target):
            size = UInt64(target.count)
            self.target = target
        }
    }

    init(metadata: ObjectMetadata?, size: UInt64, target: [UInt8]?) {
        self.metadata = metadata
        self.size = size
        self.target = target
    }
}
