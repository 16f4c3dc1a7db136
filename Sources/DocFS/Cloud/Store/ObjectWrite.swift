/// An object to be written: its body and what is kept beside it.
package struct ObjectWrite: Sendable {
    package enum Payload: Sendable {
        /// `size` bytes that hash to the metadata's digest.
        case bytes(any ByteSource, size: UInt64)
        case symlink(target: [UInt8])
    }

    package var payload: Payload
    /// `nil` for the container's own files, which belong to no item.
    package var metadata: ObjectMetadata?

    package init(payload: Payload, metadata: ObjectMetadata?) {
        self.payload = payload
        self.metadata = metadata
    }
}
