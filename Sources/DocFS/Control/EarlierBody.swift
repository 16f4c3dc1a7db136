/// A body that a container keeps in its versions or its trash.
package struct EarlierBody: Hashable, Sendable {
    package var scope: Int64
    package var item: ItemID
    package var revision: Revision
    /// Bytes.
    package var size: UInt64
    /// Where it is known.
    package var digest: Digest?

    package init(
        scope: Int64, item: ItemID, revision: Revision, size: UInt64, digest: Digest? = nil
    ) {
        self.scope = scope
        self.item = item
        self.revision = revision
        self.size = size
        self.digest = digest
    }
}
