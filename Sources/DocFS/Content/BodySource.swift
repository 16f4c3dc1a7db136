/// Where the bytes that are not here are kept: a row's source.
struct BodySource: Hashable, Sendable {
    var item: ItemID
    var revision: Revision
    var digest: Digest?

    /// `nil` for a row that has no source.
    init?(_ row: LocalItem) {
        guard let item = row.sourceItem, let revision = row.sourceRevision else { return nil }
        self.item = item
        self.revision = revision
        digest = row.sourceDigest
    }
}
