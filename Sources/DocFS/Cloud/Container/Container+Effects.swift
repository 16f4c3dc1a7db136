extension Container {
    /// Carries out an effect and returns the change to be recorded.
    ///
    /// Idempotent by the effect's operation: done twice, it has effect once.
    ///
    /// - Parameter body: the bytes to be sent; unused where the effect names a stored body.
    /// - Returns: the change, and whether it takes over a directory that was there already.
    /// - Throws: `.refused`, `.exists`, `.notFound`, `.notEmpty` when the store has moved on.
    package func perform(_ effect: Effect, body: any ByteSource) async throws(DocFSError)
        -> (change: Change, takesOver: Bool)
    {
        var change = self.change(by: effect)
        var takesOver = false
        switch effect.verb {
        case .create where effect.kind == .directory:
            change.after = effect.after
            takesOver = try await makeDirectory(at: effect.path, effect)
        case .create:
            let info = try await write(effect, body, condition: .absent, keeping: nil)
            change.after = effect.after.map { Self.state($0, storedAs: info) }
        case .replace:
            let info = try await write(
                effect, body, condition: condition(effect), keeping: effect.keep)
            change.after = effect.after.map { Self.state($0, storedAs: info) }
            change.kept = effect.keep
        case .move:
            guard let destination = effect.destination else { break }
            let info = try await store.move(
                effect.path, expecting: effect.before?.revision, to: destination,
                condition: .absent)
            change.after = effect.after.map { Self.state($0, storedAs: info) }
        case .bringHome where effect.kind == .directory:
            guard let home = effect.destination else { throw .invalidArgument }
            change.after = effect.after
            takesOver = try await makeDirectory(at: home, effect)
        case .bringHome:
            change.after = try await bringHome(effect)
        case .describe:
            change.after = try await describe(effect)
        case .remove:
            try await remove(effect)
            change.kept = effect.kind == .directory ? nil : effect.destination
        }
        return (change, takesOver)
    }

    /// The change that an effect is to make, as far as it is known before.
    private func change(by effect: Effect) -> Change {
        Change(
            operation: effect.operation, item: effect.item, before: effect.before,
            after: effect.after, object: capabilities.moves ? nil : Self.object(of: effect),
            keepsBody: [.describe, .move, .bringHome].contains(effect.verb),
            isMovedOut: effect.isMovedOut)
    }

    /// Where an effect puts its item's object.
    private static func object(of effect: Effect) -> ItemPath? {
        switch effect.verb {
        case .create, .replace: effect.path
        case .bringHome: effect.destination
        case .move, .describe, .remove: nil
        }
    }

    private func condition(_ effect: Effect) throws(DocFSError) -> WriteCondition {
        guard let revision = effect.before?.revision else { throw .invalidArgument }
        return .revision(revision)
    }

    /// - Returns: whether it was there already.
    private func makeDirectory(at path: ItemPath, _ effect: Effect) async throws(DocFSError)
        -> Bool
    {
        guard let after = effect.after else { throw .invalidArgument }
        do {
            try await store.makeDirectory(path, metadata: metadata(of: effect, after))
            return false
        } catch .exists {
            // A directory has no bytes to lose: one that nobody recorded is taken over.
            guard let info = try await store.head(path), info.kind == .directory else {
                throw .exists
            }
            return true
        }
    }

    private func write(
        _ effect: Effect, _ body: any ByteSource, condition: WriteCondition,
        keeping keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        guard let after = effect.after else { throw .invalidArgument }
        if let source = effect.source, after.kind == .file {
            return try await copy(source, effect, metadata(of: effect, after), condition, keep)
        }
        return try await store.write(
            effect.path, object(of: effect, after, body), condition: condition, keeping: keep)
    }

    private func object(of effect: Effect, _ state: ItemState, _ body: any ByteSource)
        -> ObjectWrite
    {
        let payload: ObjectWrite.Payload =
            switch state.content {
            case .symlink(let target, _): .symlink(target: target)
            case .file(let file): .bytes(body, size: file.size)
            case .directory: .bytes(body, size: 0)
            }
        return ObjectWrite(payload: payload, metadata: metadata(of: effect, state))
    }

    private func copy(
        _ source: StoredBody, _ effect: Effect, _ metadata: ObjectMetadata,
        _ condition: WriteCondition, _ keep: ItemPath?
    ) async throws(DocFSError) -> ObjectInfo {
        for place in source.places {
            guard let revision = try await store.head(place)?.revision,
                revision == source.revision || isCopy(place)
            else { continue }
            return try await store.copy(
                place, expecting: revision, to: effect.path, metadata: metadata,
                condition: condition, keeping: keep)
        }
        throw .revisionGone
    }

    private func describe(_ effect: Effect) async throws(DocFSError) -> ItemState? {
        guard let after = effect.after else { throw .invalidArgument }
        guard capabilities.metadataInPlace, effect.kind != .symlink else { return after }
        let info = try await store.setMetadata(
            effect.path, expecting: effect.before?.revision, metadata(of: effect, after))
        return Self.state(after, storedAs: info)
    }

    private func remove(_ effect: Effect) async throws(DocFSError) {
        guard effect.kind != .directory else {
            do throws(DocFSError) {
                return try await store.removeDirectory(effect.path)
            } catch .notFound {
                // One that no object marks went with the last one in it.
                if capabilities.directories { throw .notFound }
                return
            }
        }
        guard let place = effect.destination, let revision = effect.before?.revision else {
            throw .invalidArgument
        }
        try await store.remove(effect.path, expecting: revision, keeping: place)
    }

    private func bringHome(_ effect: Effect) async throws(DocFSError) -> ItemState? {
        guard let after = effect.after, let home = effect.destination,
            let revision = effect.before?.revision
        else { throw .invalidArgument }
        let info = try await store.copy(
            effect.path, expecting: revision, to: home, metadata: metadata(of: effect, after),
            condition: .absent, keeping: nil)
        return Self.state(after, storedAs: info)
    }

    /// Removes what an item left behind when its object was brought home, if it still is that.
    ///
    /// - Parameter revision: `nil` for a directory.
    /// - Throws: `.refused`, `.notEmpty` when it is something else now, or not empty yet.
    package func removeLeftover(_ place: ItemPath, _ revision: Revision?) async throws(DocFSError) {
        do throws(DocFSError) {
            if let revision {
                try await store.remove(place, expecting: revision)
            } else {
                try await store.removeDirectory(place)
            }
        } catch .notFound {
            return
        }
    }

    private func metadata(of effect: Effect, _ state: ItemState) -> ObjectMetadata {
        var digest: Digest?
        if case .file(let body) = state.content { digest = body.digest }
        return ObjectMetadata(
            item: effect.item, operation: effect.operation, digest: digest,
            modified: state.metadata.modified, mode: state.metadata.mode)
    }

    /// The state with the revision under which the store has it now.
    private static func state(_ state: ItemState, storedAs info: ObjectInfo) -> ItemState {
        var state = state
        guard let revision = info.revision else { return state }
        switch state.content {
        case .file(var body):
            body.revision = revision
            state.content = .file(body)
        case .symlink(let target, _): state.content = .symlink(target: target, revision: revision)
        case .directory: break
        }
        return state
    }

    // MARK: Recovery

    /// Finds out whether an effect took place whose outcome is unknown, and finishes what it left.
    ///
    /// - Returns: the change to be recorded; `nil` when the effect did not take place and may be
    ///   planned anew.
    package func settle(_ effect: Effect) async throws(DocFSError) -> Change? {
        var change = self.change(by: effect)
        switch effect.verb {
        case .create, .replace:
            guard let info = try await settleWrite(effect) else { return nil }
            change.kept = effect.keep
            change.after = effect.after.map { Self.state($0, storedAs: info) }
        case .describe:
            guard capabilities.metadataInPlace, let info = try await store.head(effect.path),
                info.metadata?.operation == effect.operation
            else { return nil }
            // Done again, since it may have been done in part.
            change.after = try await describe(effect)
        case .move:
            guard let destination = effect.destination,
                try await hasMoved(effect, to: destination)
            else { return nil }
        case .bringHome:
            guard let home = effect.destination, let info = try await described(home),
                info.kind == effect.kind,
                effect.kind == .directory || info.metadata?.operation == effect.operation
            else { return nil }
            change.after = effect.after.map { Self.state($0, storedAs: info) }
        case .remove:
            guard let place = try await settleRemove(effect) else { return nil }
            change.kept = place.isRoot ? nil : place
        }
        return change
    }

    /// - Returns: where the body is kept, the root for a directory, which has none; `nil` when it
    ///   was not removed.
    private func settleRemove(_ effect: Effect) async throws(DocFSError) -> ItemPath? {
        if effect.kind == .directory {
            return try await store.head(effect.path) == nil ? .root : nil
        }
        guard let place = effect.destination, try await store.head(place) != nil else {
            return nil
        }
        if !capabilities.moves, let revision = effect.before?.revision {
            // The copy may have been all that there was time for.
            do throws(DocFSError) {
                try await store.remove(effect.path, expecting: revision)
            } catch .notFound {
                return place
            } catch .refused {
                guard let found = try await described(effect.path) else { return place }
                // Another program keeps nothing: what it wrote may be an edit.
                guard let item = found.metadata?.item else { return nil }
                // What was made there anew is not what was removed. Nor is it where nobody has that
                // as a version: who replaces a body keeps it first.
                if item != effect.item { return place }
                let version = ContainerLayout.version(of: effect.item, revision)
                guard try await store.head(version) == nil else { return nil }
            }
        }
        return place
    }

    private func settleWrite(_ effect: Effect) async throws(DocFSError) -> ObjectInfo? {
        guard let after = effect.after else { throw .invalidArgument }
        let object = object(of: effect, after, SpentSource())
        let done = try await store.settle(
            effect.path, object, condition: effect.verb == .create ? .absent : condition(effect),
            keeping: effect.keep)
        if effect.kind == .directory {
            // One that nobody recorded is as good as ours.
            let found = try await store.head(effect.path)
            return found?.kind == .directory ? found : nil
        }
        guard done == nil else { return done }
        return try await describedSince(effect, after)
    }

    /// What an effect wrote, where others have recorded it as found and described it since, so
    /// that the operation beside it is theirs.
    private func describedSince(_ effect: Effect, _ after: ItemState) async throws(DocFSError)
        -> ObjectInfo?
    {
        guard case .file(let body) = after.content, let digest = body.digest,
            let found = try await described(effect.path), found.kind == .file,
            found.revision != effect.before?.revision,
            found.metadata?.item == effect.item, found.metadata?.digest == digest
        else { return nil }
        if effect.verb == .replace {
            guard let keep = effect.keep, try await store.head(keep) != nil else { return nil }
        }
        return found
    }

    /// The object at a path, with its metadata.
    ///
    /// - Throws: `.documentRefused` where the store withholds the metadata: nobody can tell whose
    ///   object it is.
    private func described(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        let found = try await store.head(path)
        guard found?.isDescribed != false else {
            throw .documentRefused("it does not say whose it is")
        }
        return found
    }

    private func hasMoved(_ effect: Effect, to destination: ItemPath) async throws(DocFSError)
        -> Bool
    {
        guard let info = try await store.head(destination), info.kind == effect.kind,
            info.revision == effect.before?.revision
        else { return false }
        return try await store.head(effect.path) == nil
    }
}

/// The body of a write that has happened already: nobody may ask for its bytes again.
private struct SpentSource: ByteSource {
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64)
        throws(DocFSError) -> Int
    {
        throw .bodyChanged
    }
}
