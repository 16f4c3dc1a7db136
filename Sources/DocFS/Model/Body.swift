/// The bytes of one version, described: how many, what they hash to, and the store's token.
package struct Body: Hashable, Sendable {
    /// Bytes; at most ``maximumSize``.
    package let size: UInt64
    /// Absent where the store's listing did not tell it and nobody has fetched it yet.
    package var digest: Digest?
    package var revision: Revision

    /// The most bytes that a file can have (`off_t` is signed), and a catalog can count.
    package static let maximumSize = UInt64(Int64.max)

    /// - Parameter size: bytes; more than ``maximumSize`` count as that many. Whoever decodes what
    ///   comes from outside refuses them before.
    package init(size: UInt64, digest: Digest?, revision: Revision) {
        self.size = min(size, Self.maximumSize)
        self.digest = digest
        self.revision = revision
    }
}
