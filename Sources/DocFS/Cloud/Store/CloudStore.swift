/// A store of objects under paths: the primitive that every container is built on.
///
/// Paths are bytes. Directories are real on stores that have them and come and go with their
/// objects elsewhere (`capabilities.directories`). Every condition is the store's own, decided
/// atomically against all its other users; where a store cannot, it says so in ``capabilities``.
///
/// Errors, for all calls: `.offline` when the store cannot be reached or its root is missing,
/// `.credentialsRefused`, `.notFound`, `.refused` when a condition did not hold, `.storeFull`,
/// `.outcomeUnknown` when the request may have been carried out, `.corrupt` when an answer
/// contradicts itself, `.interrupted` when the task was cancelled, `.invalidArgument` and
/// `.nameTooLong` for names that no directory holds, and for paths that the store cannot hold as a
/// whole: it can when they have no more than 900 bytes. Errors of a source or sink are passed on as
/// they are. A call that throws anything but `.outcomeUnknown` had no effect.
///
/// A write, copy, move, setMetadata or makeDirectory that is made again under the same operation id
/// (a move: with the same arguments) has effect once and returns what the first one did: also when
/// the first was interrupted at any point. Files of the container itself carry no operation; there
/// the condition decides alone.
///
/// Missing directories below `.docfs` are made by whatever puts something there. Elsewhere a
/// missing parent is `.notFound`, on stores that have directories.
///
/// A body that another program brought in at the wrong instant, and that is neither at its path nor
/// kept, is in `.docfs/found`.
///
/// One conformance suite runs against every implementation (`CloudStoreConformance` in Tests).
package protocol CloudStore: Sendable {
    /// What this store was found able to do, by the last ``attach(create:)``.
    var capabilities: StoreCapabilities { get }

    /// Makes sure that the store answers, and probes what it can do. Called first, and again after
    /// a time offline; creates the store's root when it may (a folder's directory).
    ///
    /// - Parameter create: whether a missing root, or a folder's missing `.docfs`, is made. A root
    ///   that was there once and has gone is `.offline`, never made anew (S23).
    func attach(create: Bool) async throws(DocFSError)

    /// The object or directory at `path`; `nil` only when the store is sure that there is none.
    func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo?

    /// Reads `range` of the body at `path` into `sink` at the same offsets.
    ///
    /// - Parameter expected: the only revision whose bytes may be delivered: `.refused` otherwise,
    ///   also when the object changes half-way. Nothing is verified beyond that. A range that ends
    ///   behind the body is `.corrupt`.
    func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink
    ) async throws(DocFSError)

    /// The whole body of a small file, in one request where the store can do so; `nil` when there
    /// is no file of that name.
    ///
    /// Bytes of one revision, whichever is there. Meant for the container's own files.
    ///
    /// - Throws: `.corrupt` when it has more than `limit` bytes.
    func small(_ path: ItemPath, atMost limit: Int) async throws(DocFSError) -> [UInt8]?

    /// Writes a whole object.
    ///
    /// The bytes of `object.body` are hashed while they are sent; when they do not match the
    /// announced digest or length the write is abandoned before it takes effect (`.bodyChanged`).
    ///
    /// - Parameters:
    ///   - condition: what must be at `path`, checked by the store at the moment of effect.
    ///   - keep: where the body that is replaced is kept, when there is one. Kept before the new
    ///     body is visible or atomically with it, so that it is never lost.
    /// - Returns: the object as it is now, its revision above all.
    func write(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo

    /// Ends a write or copy that was interrupted and will not be made again: what it left where
    /// nobody sees it is finished when it took effect, and removed otherwise.
    ///
    /// Takes what the write took; of the body nothing is read. An object without metadata cannot
    /// be recognised.
    ///
    /// - Returns: the object, when the write took effect and nobody has replaced it since.
    func settle(
        _ path: ItemPath, _ object: ObjectWrite, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo?

    /// Copies an object inside the store, without its bytes passing through this device.
    ///
    /// - Parameter metadata: what is kept beside the copy, whatever was beside the source.
    func copy(
        _ source: ItemPath, expecting expected: Revision, to destination: ItemPath,
        metadata: ObjectMetadata, condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo

    /// Moves an object, or a directory with everything in it where `capabilities.moves`.
    /// A directory never moves below itself (`.loop`).
    ///
    /// - Parameters:
    ///   - expected: the source's revision; `nil` for directories.
    ///   - condition: what must be at `destination`; a directory only moves to an absent name.
    func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo

    /// Removes one object if it still is `expected`.
    ///
    /// - Parameter keep: where below `.docfs` its body is kept, with what was beside it, under a
    ///   name that nobody else uses. Kept before the object goes or atomically with it.
    func remove(
        _ path: ItemPath, expecting expected: Revision, keeping keep: ItemPath?
    ) async throws(DocFSError)

    /// Sets times, mode and our own metadata of an object without touching its bytes, where
    /// `capabilities.metadataInPlace`; `.notOffered` elsewhere. The revision may change by it.
    func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo

    /// Makes one directory below an existing one; `.exists` when anything else has the name.
    func makeDirectory(_ path: ItemPath, metadata: ObjectMetadata) async throws(DocFSError)

    /// Removes an empty directory: `.notEmpty`, or `.notDirectory`, otherwise.
    func removeDirectory(_ path: ItemPath) async throws(DocFSError)

    /// Lists one directory completely, in any order, or throws: a partial listing is an error, and
    /// what is no directory is `.notFound`. The root's listing leaves `.docfs` out. How much is
    /// told of each object, `capabilities.listsMetadata` says.
    func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo]

    /// The object or directory at `path`, with its age; `nil` when there is none.
    ///
    /// Meant for what lies below `.docfs`, as ``stored(below:from:)`` is.
    func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject?

    /// A part of what lies below a directory: where listing costs, objects at any depth and no
    /// directories, else its entries, of which a directory is to be listed by itself.
    ///
    /// - Parameter next: what the part before it told; `nil` for the first.
    /// - Throws: `.notFound` when the directory is missing, on stores that have directories.
    func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage

    /// Removes the tombstones that the store has left, once ``StoreCapabilities/tombstonesDue`` has
    /// passed; those that cannot be removed now are tried again later.
    func removeTombstones() async

    /// Removes something of the container's own that was found to be old, if it still is as it was
    /// found.
    ///
    /// - Parameter limit: what was stored after that stays.
    func removeOld(_ found: StoredObject, storedUntil limit: Timestamp) async throws(DocFSError)

    /// Returns when everything acknowledged before, and what was read of `.docfs`, is on stable
    /// storage. A record is appended, or taken for granted, only after that. Asks nobody where the
    /// store acknowledges nothing before it is.
    func makeDurable() async throws(DocFSError)

    /// Starts reporting what changes in the store, by whomever. Hints to look again, never facts;
    /// ends when the store goes. Empty at once on stores without push. The others report
    /// ``StoreEvent/lookAtEverything`` first, once they see changes.
    func events() -> AsyncStream<StoreEvent>

    /// The device stops: nobody waits for the store any longer. Where a server is asked, which may
    /// never answer, what is under way and what is asked for later ends at once as if its task were
    /// cancelled; elsewhere it goes on.
    func close()

    /// As ``attach(create:)``, for who makes nothing there and needs nothing of a container's.
    func attachAsFound() async throws(DocFSError)

    /// Makes what a container needs at the place that was attached as it was found, and that is
    /// that place still; to be attached again then.
    func makeControl() async throws(DocFSError)

    /// Whether nothing at all is at the store's place, as where a disk was unmounted.
    func isEmpty() async throws(DocFSError) -> Bool

    /// Total and free bytes, where the store can tell.
    func space() async -> StoreSpace?
}
