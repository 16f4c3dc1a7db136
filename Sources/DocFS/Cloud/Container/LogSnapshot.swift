/// What the records up to one number come to, as the container keeps it: whoever was away for long
/// reads this instead of them.
package struct LogSnapshot: Hashable, Sendable {
    /// The last record that it includes.
    package var record: UInt64
    /// The digest of that record, which the next one names.
    package var digest: Digest
    /// The directory that holds its pages.
    package var directory: ItemPath
    /// What the pages hash to, in their order.
    package var pages: [Digest]

    package init(record: UInt64, digest: Digest, directory: ItemPath, pages: [Digest]) {
        self.record = record
        self.digest = digest
        self.directory = directory
        self.pages = pages
    }
}
