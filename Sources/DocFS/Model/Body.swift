/// The bytes of one version, described: how many, what they hash to, and the store's token.
package struct Body: Hashable, Sendable {
    /// Bytes.
    package var size: UInt64
    /// Absent where the store's listing did not tell it and nobody has fetched it yet.
    package var digest: Digest?
    package var revision: Revision

    package init(size: UInt64, digest: Digest?, revision: Revision) {
        self.size = size
        self.digest = digest
        self.revision = revision
    }
}
