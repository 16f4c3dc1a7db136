/// The bytes of a row at one instant.
package struct Snapshot: Sendable {
    package var source: any ByteSource
    /// Bytes.
    package var size: UInt64
    package var digest: Digest
    /// ``LocalItem/generation`` at that instant.
    package var generation: Int64
    /// ``LocalItem/modified`` at that instant.
    package var modified: Timestamp
    /// Who had the row open then: if anybody, the bytes are a copy, and stay what they are whatever
    /// is written into the document since.
    package var writer: WriterState

    package init(
        source: any ByteSource, size: UInt64, digest: Digest, generation: Int64,
        modified: Timestamp, writer: WriterState = .none
    ) {
        self.source = source
        self.size = size
        self.digest = digest
        self.generation = generation
        self.modified = modified
        self.writer = writer
    }

    package var isCopy: Bool { writer != .none }

    /// Whether the bytes may be sent for a document that may have been written into since.
    ///
    /// - Parameters:
    ///   - row: its row now.
    ///   - now: who has it open now.
    ///   - old: its row before the bytes were looked at.
    func mayBeSent(for row: LocalItem?, openBy now: WriterState, before old: LocalItem?) -> Bool {
        guard let row else { return false }
        if row.generation == generation { return true }
        // The bytes of now go with the next version, unless they were made from another one.
        guard isCopy, row.divergence == .written, row.basis == old?.basis else { return false }
        switch (writer, now) {
        // The whole of what this may be a half of is there by now.
        case (_, .none), (.held, .heldAndSynced): return false
        default: return true
        }
    }
}
