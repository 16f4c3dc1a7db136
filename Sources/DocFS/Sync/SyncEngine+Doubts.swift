internal import Logging

/// Telling what was changed in the store from what was only copied or touched (S33).
extension SyncEngine {
    /// The body of an object that no device has put where it is, with the digest that the log has
    /// where it is the very body: that is read first where only its size tells.
    ///
    /// Where to read costs requests, it is another one. Of what turns out to be another one no
    /// digest is told: a program may still be writing into it by a mapping, which changes no time.
    ///
    /// - Returns: `nil` while it is being read, after which its path is looked at again.
    func identified(_ body: Body, at path: ItemPath, knownAs state: ItemState?) -> Body? {
        guard body.digest == nil, let known = state?.content.body, let digest = known.digest,
            known.size == body.size
        else {
            doubts.forget(path)
            return body
        }
        let same = Body(size: body.size, digest: digest, revision: body.revision)
        // Only its mode is another one.
        if known.revision == body.revision { return same }
        guard container.capabilities.cheapListing else { return body }
        switch doubts.answer(for: path, body) {
        case .digest(let found)?: return found == digest ? same : body
        case .unknown?: return body
        case nil:
            lateLooks.insert(path)
            readDoubtful()
            return nil
        }
    }

    /// Whether the metadata of an object was written with an earlier body (``MarkedDigest``).
    func isCarriedOver(_ object: ObjectInfo) throws(DocFSError) -> Bool {
        guard let metadata = object.metadata, let digest = metadata.digest,
            let revision = object.revision
        else { return false }
        let known = try remoteState(metadata.item)?.content.body
        let isCarried = MarkedDigest.isCarriedOver(
            digest, at: revision, recorded: recordedBodies[metadata.operation], known: known)
        // The next time the log has lost the digest.
        if isCarried, let known, recordedBodies[metadata.operation] == nil {
            recordedBodies[metadata.operation] = known.revision
        }
        return isCarried
    }

    /// The most operations that are remembered.
    private static let remembered = 100_000

    /// Remembers which bodies the operations of a record have made.
    func noteBodies(of record: LogRecord) {
        if recordedBodies.count > Self.remembered { recordedBodies.removeAll() }
        for change in record.changes {
            if let revision = change.after?.content.revision {
                recordedBodies[change.operation] = revision
            }
        }
    }

    /// The metadata of a document whose body another program wrote.
    func metadata(of object: ObjectInfo, over state: ItemState?, isCarriedOver: Bool) -> Metadata {
        // Where the store has no modes, or one that was only copied with the rest, those that the
        // log has stay: what is private is written anew, and stays private.
        let known = state.map { $0.metadata.mode & 0o777 }
        let isOwn = container.capabilities.metadataInPlace || !isCarriedOver
        let mode = (isOwn ? object.mode ?? known : known) ?? object.permissions
        var metadata = Metadata(mode: mode, modified: object.modified)
        // Whoever watches times is to see that it has changed.
        if isCarriedOver, let before = state?.metadata.modified, metadata.modified <= before {
            metadata.modified = clock.wallTime()
        }
        metadata.attributes = state?.metadata.attributes ?? []
        return metadata
    }

    /// Reads what is doubted, while the store is in reach: what is left then is asked for again.
    private func readDoubtful() {
        while isAttached, !isStopping, let (path, body) = doubts.next() {
            Task {
                let answer = await digest(of: body, at: path)
                doubts.finish(path, body, with: answer)
                readDoubtful()
                if answer == nil {
                    lookLater(at: path)
                } else {
                    inbox.tell { $0.suspects.insert(path) }
                }
            }
        }
    }

    /// - Returns: `nil` where the store is out of reach.
    private func digest(of body: Body, at path: ItemPath) async -> DoubtfulBodies.Answer? {
        let store = container.store
        do throws(DocFSError) {
            let digest = try await HashingSink.digest(of: body.size) {
                (piece, sink) async throws(DocFSError) in
                try await store.read(path, range: piece, expecting: body.revision, into: sink)
            }
            return .digest(digest)
        } catch {
            log.debug("\(path) cannot be told from what the log has: \(error.sentence)")
            if case .offline = error { return nil }
            return .unknown
        }
    }
}
