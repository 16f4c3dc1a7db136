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

    /// What the container has of `item` by now, where its body at `revision` is nowhere any more:
    /// another program has put it there, or goes on writing it, and no record tells of it yet.
    ///
    /// Has the place looked at. ``fetch(_:revision:range:into:)`` finds the body by its revision.
    func successor(of item: ItemID, at revision: Revision) async -> Successor

    /// Looks where no record tells of it for a body that ``fetch(_:revision:range:into:)`` did not
    /// find: another device has removed the document, and something else has its path already.
    ///
    /// - Parameter digest: the body's, where it is known.
    /// - Returns: whether it is worth while to fetch it once more; `nil` where not all places could
    ///   be looked at.
    /// - Throws: `.offline` when the store did not answer.
    func find(_ item: ItemID, at revision: Revision, _ digest: Digest?)
        async throws(DocFSError) -> Bool?

    /// Why the store is known to be out of reach: `.offline`, `.credentialsRefused` or `.corrupt`.
    var offlineReason: DocFSError? { get }
}

extension ContentSource {
    package func successor(of item: ItemID, at revision: Revision) async -> Successor { .unknown }

    package func find(_ item: ItemID, at revision: Revision, _ digest: Digest?)
        async throws(DocFSError) -> Bool?
    { false }
}
