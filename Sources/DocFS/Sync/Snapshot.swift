/// The bytes of a row at one instant.
package struct Snapshot: Sendable {
    package var source: any ByteSource
    /// Bytes.
    package var size: UInt64
    package var digest: Digest
    /// ``LocalItem/generation`` at that instant.
    package var generation: Int64

    package init(source: any ByteSource, size: UInt64, digest: Digest, generation: Int64) {
        self.source = source
        self.size = size
        self.digest = digest
        self.generation = generation
    }
}
