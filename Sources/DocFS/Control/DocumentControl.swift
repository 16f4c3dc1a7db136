/// What attributes and the trash ask of the contents and of syncing.
///
/// Declared here, because the Control room reaches neither by itself; composed where the mount is.
///
/// Called from any of libfuse's threads; must not wait for a store.
package protocol DocumentControl: Sendable {
    /// How much of a file is here, downloads under way included.
    func state(of row: LocalItem) -> ContentState
    /// The same in percent, 0…100.
    func percent(of row: LocalItem) -> Int
    /// Whether bytes of a row are being fetched, the first of which may not have come yet.
    func isComing(_ ino: Int64) -> Bool
    /// How far the upload of a row is, 0…99; `nil` when there is none.
    func uploadPercent(of ino: Int64) -> Int?
    /// How far what goes to the store of a scope is.
    func sending(scope: Int64) -> TransferProgress
    /// How far the documents are that come whole from the store of a scope.
    func receiving(scope: Int64) -> TransferProgress
    /// Size and time of what was written and is not in the row yet; `nil` when there is nothing.
    func unrecorded(_ ino: Int64) -> (size: UInt64, modified: Timestamp)?
    /// Why the last read of a document was refused, in words: its container is out of reach, or has
    /// not answered; `nil` when none was, or that is over.
    func refusal(of row: LocalItem) -> String?
    /// What is wrong with the bytes of a document that counts as wholly here; `nil` for nothing.
    func damage(of row: LocalItem) throws(DocFSError) -> BodyDamage?
    /// The rows that programs have open for writing.
    var openForWriting: [Int64] { get }
    /// Whether any process has the document open.
    func isOpen(_ ino: Int64) -> Bool
    /// Whether the document is being replaced at this moment (S9).
    func isEditingDisabled(_ ino: Int64) -> Bool
    /// Starts a download and does not wait for it. Throws `.offline` where none can be had.
    func hydrate(_ ino: Int64) throws(DocFSError)
    /// What is pinned now is brought here, in the background.
    func pinChanged(of ino: Int64, to pin: PinState)
    /// Drops the bytes and keeps the placeholder (S11). Throws `.busy` when they are needed here,
    /// `.notOffered` where it is not offered.
    func evict(_ ino: Int64) throws(DocFSError)
    /// Has these items sent without waiting until they have settled; all of the scope's if `nil`
    /// (S14).
    func sendNow(_ items: Set<ItemID>?, scope: Int64)
    /// Lets the deletes that were held back go through (S23).
    func confirmDeletes(scope: Int64) throws(DocFSError)
    /// Mends the change log of a scope's container, in the background (S23).
    func mendLog(scope: Int64, _ repair: LogRepair) throws(DocFSError)
    /// Destroys what was deleted at `path` or below, on the store too. Throws `.offline` where that
    /// cannot be begun now.
    func emptyTrash(scope: Int64, below path: ItemPath) throws(DocFSError)
    /// Removes an earlier version of a document, on all devices and from the store. Throws `.busy`
    /// while an unsent edit here still needs bytes of it.
    func remove(_ version: VersionRecord, scope: Int64) throws(DocFSError)
    /// How long the end of the mount may wait for what is being sent.
    var farewell: Duration { get nonmutating set }
    /// The kernel knows this row, although no lookup told it.
    func retain(_ ino: Int64)
    /// A row lost its name.
    func unlinked(_ ino: Int64)
}
