/// What `.docfs` is told about its mount.
package struct ControlSettings: Sendable {
    /// As `status` shows it.
    package var mountPoint: String
    /// The state directory, for people.
    package var state: String
    /// What this device is called.
    package var device: String
    /// The cloud scopes that are mounted, by the catalog's ids, in the order of the mount's root.
    package var scopes: [Int64]
    /// Where their stores are, for people, in the same order.
    package var stores: [String]
    /// What names begin with that stand for names of the store which Linux cannot hold (S30), by
    /// the catalog's ids of the scopes.
    package var escapes: [Int64: [Name]]
    /// Whom `.docfs` belongs to.
    package var owner: UInt32
    package var group: UInt32
    /// Since when the mount is there.
    package var born: Timestamp
    /// How long a read may wait without one byte of progress.
    package var deadline: Duration
    /// The kinds of documents that the user makes, by their keys.
    package var types: [DocumentType]

    package init(
        mountPoint: String, state: String, device: String, scopes: [Int64], stores: [String],
        escapes: [Int64: [Name]] = [:], owner: UInt32, group: UInt32, born: Timestamp,
        deadline: Duration, types: [DocumentType]
    ) {
        self.mountPoint = mountPoint
        self.state = state
        self.device = device
        self.scopes = scopes
        self.stores = stores
        self.escapes = escapes
        self.owner = owner
        self.group = group
        self.born = born
        self.deadline = deadline
        self.types = types
    }
}
