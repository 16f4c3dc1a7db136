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
    /// The document's permission bits (0o777) when the body was replaced, where they are known.
    package var mode: UInt16?
    /// Whose the document was on this device when the body was replaced, where that is known.
    package var ownership: Ownership?
    /// Who saved the body, where that is known.
    package var saver: Saver?

    package init(
        item: ItemID, revision: Revision, path: ItemPath, size: UInt64, digest: Digest?,
        modified: Timestamp, device: String, recorded: Int64, mode: UInt16? = nil,
        ownership: Ownership? = nil, saver: Saver? = nil
    ) {
        self.item = item
        self.revision = revision
        self.path = path
        self.size = size
        self.digest = digest
        self.modified = modified
        self.device = device
        self.recorded = recorded
        self.mode = mode.map { $0 & 0o777 }
        self.ownership = ownership
        self.saver = saver
    }
}
