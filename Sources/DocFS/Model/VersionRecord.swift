/// An earlier body that the container keeps.
package struct VersionRecord: Hashable, Sendable {
    package var item: ItemID
    package var revision: Revision
    /// Where the body lies in the container.
    package var path: ItemPath
    /// Bytes.
    package var size: UInt64
    package var digest: Digest?
    package var modified: Timestamp
    /// The device whose change put it here.
    package var device: String
    /// Seconds since 1970 by that device's clock; for people only.
    package var recorded: Int64

    package init(
        item: ItemID, revision: Revision, path: ItemPath, size: UInt64, digest: Digest?,
        modified: Timestamp, device: String, recorded: Int64
    ) {
        self.item = item
        self.revision = revision
        self.path = path
        self.size = size
        self.digest = digest
        self.modified = modified
        self.device = device
        self.recorded = recorded
    }
}
