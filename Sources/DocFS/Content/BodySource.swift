/// Where the bytes that are not here are kept: a row's source.
struct BodySource: Hashable, Sendable {
    var scope: Int64
    var item: ItemID
    var revision: Revision
    var digest: Digest?
    /// Bytes of the whole body; `nil` where no digest can be held against it.
    var size: UInt64?

    /// `nil` for a row that has no source.
    init?(_ row: LocalItem) {
        guard let item = row.sourceItem, let revision = row.sourceRevision else { return nil }
        scope = row.sourceScope ?? row.scope
        self.item = item
        self.revision = revision
        digest = row.sourceDigest
        size = row.sourceSize
    }
}

extension LocalItem {
    /// What is written from now on is an edit of `source`, which took the place of its own in the
    /// container.
    ///
    /// - Parameter size: that of the source, in bytes.
    mutating func follow(_ source: BodySource, size: UInt64) {
        guard state == .none, divergence == .none else { return }
        (basis, sourceRevision, sourceDigest) = (source.revision, source.revision, source.digest)
        (sourceSize, wanted, self.size) = (size, size, size)
    }

    /// Whether the bytes of `source` are this row's: the same revision, or one that hashes alike.
    func wants(_ source: BodySource?) -> Bool {
        guard let source, let own = BodySource(self) else { return sourceRevision == nil }
        if own.item == source.item && own.revision == source.revision && own.scope == source.scope {
            return true
        }
        return own.digest != nil && own.digest == source.digest
    }
}
