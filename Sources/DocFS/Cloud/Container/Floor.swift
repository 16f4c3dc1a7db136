/// How far the change log still reaches back.
package struct Floor: Hashable, Sendable {
    /// The oldest record that is still kept.
    package var record: UInt64
    /// What stands for all before it, and perhaps for some that are kept.
    package var snapshot: LogSnapshot

    package init(record: UInt64, snapshot: LogSnapshot) {
        self.record = record
        self.snapshot = snapshot
    }
}
