/// This device's contents and open files, as syncing needs them.
///
/// Declared here, because calls go down only; the Content room provides it.
///
/// All calls return at once or after local disk work; any thread may make them. The one that reads
/// whole bodies suspends.
package protocol Replica: Sendable {
    /// Who has the content of a row open for writing.
    func writer(of ino: Int64) -> WriterState

    /// Claims a row for a change of its name or body: until ``release(_:)`` no process can open it
    /// for writing (such an open waits; it never fails). `false` when a writer has it open.
    func claim(_ ino: Int64) -> Bool

    /// Ends claims.
    func release(_ inos: [Int64])

    /// The bytes of a row as they are now, for sending; a copy of them when programs have it open
    /// for writing. Any write that begins after this call makes a transaction that raises the row's
    /// generation before it changes a byte.
    ///
    /// Throws `.bodyChanged` when they were written into all the time, `.wouldBlock` when the
    /// content is not all here yet (its download is started).
    func snapshot(of row: LocalItem) async throws(DocFSError) -> Snapshot

    /// Whether a row holds what a loss of power has left of an edit that was being sent, or of a
    /// later one: where the store has it, that counts.
    func isSuspect(_ row: LocalItem) -> Bool

    /// Whether the missing bytes of a row that was written into are lost (S8): damaged in the
    /// container, or looked for in vain since its record does not name them any more.
    func lacksSource(_ row: LocalItem, in read: CatalogReader) throws(DocFSError) -> Bool

    /// Makes a row without a name, of the item `item`, of what was written into such a row: from
    /// the first byte on where that was only appended, else with zeros for what is not here.
    ///
    /// For who has claimed the row. Goes with the next start unless it gets a name.
    ///
    /// - Returns: its number.
    func keepWritten(of row: LocalItem, as item: ItemID) async throws(DocFSError) -> Int64

    /// When a program had the document of a row open last.
    func lastUse(of row: LocalItem) -> Timestamp

    /// The store of a scope is in reach from now on.
    func cameInReach(scope: Int64)

    /// Rows changed or went, after the commit: the kernel's memory is invalidated, contents that
    /// nothing reaches are dropped.
    func applied(_ notices: [LocalNotice])
}

extension Replica {
    package func lacksSource(_ row: LocalItem, in read: CatalogReader) throws(DocFSError) -> Bool {
        false
    }

    package func keepWritten(of row: LocalItem, as item: ItemID) async throws(DocFSError) -> Int64 {
        throw .notOffered
    }

    package func lastUse(of row: LocalItem) -> Timestamp { .zero }

    package func cameInReach(scope: Int64) {}
}
