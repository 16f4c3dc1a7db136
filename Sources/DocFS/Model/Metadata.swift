/// What is kept about an item beside its name and bytes, on every device alike (S15a, S31).
package struct Metadata: Hashable, Sendable {
    /// Permission bits only (0o777): set-id and sticky bits never travel.
    package var mode: UInt16
    package var modified: Timestamp
    /// The user's own attributes, sorted by name.
    package var attributes: [ExtendedAttribute]

    package init(mode: UInt16, modified: Timestamp, attributes: [ExtendedAttribute] = []) {
        self.mode = mode & 0o777
        self.modified = modified
        self.attributes = attributes.sorted()
    }
}
