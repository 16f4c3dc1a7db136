/// Where the bytes of placeholders come from.
///
/// Declared by Sync, used by Content.
package protocol ContentSource: Sendable {
    /// Reads a range of the body that `item` had at `revision` into `sink`, from wherever the
    /// container keeps it: the document, its versions, its trash.
    ///
    /// Errors: ``offlineReason`` at once when there is one, `.revisionGone` when the body is
    /// nowhere any more, `.interrupted` when the task is cancelled, and what the store throws.
    func fetch(
        _ item: ItemID, revision: Revision, range: Range<UInt64>, into sink: any ByteSink
    ) async throws(DocFSError)

    /// Why the store is known to be out of reach: `.offline`, `.credentialsRefused` or `.corrupt`.
    var offlineReason: DocFSError? { get }
}
