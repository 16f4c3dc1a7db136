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

    /// The object at an item's place is of another kind than in the log: the item is gone, unless
    /// it is a link that was brought back as a document.
    ///
    /// - Returns: that link; `nil` where there is nothing to adopt for now.
    func linkAgain(
        _ object: ObjectInfo, knownAs item: ItemID, _ state: ItemState
    ) async throws(DocFSError) -> ObjectInfo? {
        // Nobody knows yet what is there.
        guard object.isDescribed else {
            lookAgain(at: object.path)
            return nil
        }
        if isAwaited(item) {
            lookLater(at: object.path)
            return nil
        }
        do throws(DocFSError) {
            if let link = try await linkMadeAgain(of: object, knownAs: item, state) { return link }
        } catch .busy {
            lookAgain(at: object.path)
            return nil
        }
        if isAwaited(item) || inFlight.contains(item) {
            lookLater(at: object.path)
            return nil
        }
        finish(gone: item, state)
        inbox.tell { $0.suspects.insert(object.path) }
        return nil
    }

    /// Makes a symbolic link again of what another program has brought back as a document that
    /// holds where the link pointed, as tools do that copy a bucket's objects without what is
    /// beside them.
    ///
    /// - Parameter state: as the log has it.
    /// - Returns: the link; `nil` where the object is something else.
    /// - Throws: `.busy` where that cannot be known, or done, now.
    private func linkMadeAgain(of object: ObjectInfo, knownAs item: ItemID, _ state: ItemState)
        async throws(DocFSError) -> ObjectInfo?
    {
        guard !container.capabilities.moves, !isReadOnly, object.kind == .file,
            object.metadata == nil, object.mode == nil, let revision = object.revision,
            case .symlink(let target, _) = state.content, !target.isEmpty,
            object.size == UInt64(target.count)
        else { return nil }
        if inFlight.contains(item) { throw .busy }
        let metadata = ObjectMetadata(
            item: item, operation: OperationID(using: &random), digest: nil,
            modified: state.metadata.modified, mode: state.metadata.mode & 0o777)
        do throws(DocFSError) {
            let bytes = MemorySink(size: target.count)
            try await container.store.read(
                object.path, range: 0..<object.size, expecting: revision, into: bytes)
            guard bytes.bytes == target else { return nil }
            return try await container.store.write(
                object.path, ObjectWrite(payload: .symlink(target: target), metadata: metadata),
                condition: .revision(revision), keeping: nil)
        } catch {
            switch error {
            case .offline, .interrupted, .credentialsRefused: throw error
            default: throw .busy
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

    /// Whether a record has told of the body that metadata was written with, as far as is known.
    func isRecorded(_ metadata: ObjectMetadata) throws(DocFSError) -> Bool {
        if recordedBodies[metadata.operation] != nil { return true }
        guard let digest = metadata.digest else { return false }
        let (item, scopeID) = (metadata.item, scope.id)
        return try catalog.readConsistently { (read) throws(DocFSError) in
            // The same bytes at another time are another edit.
            let versions = try read.versions(of: item, scope: scopeID)
            if versions.contains(where: {
                $0.digest == digest && $0.modified == metadata.modified
            }) {
                return true
            }
            return try read.trash(of: item, scope: scopeID).contains {
                $0.content.body?.digest == digest && $0.metadata.modified == metadata.modified
            }
        }
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
