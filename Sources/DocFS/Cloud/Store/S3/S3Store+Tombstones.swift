internal import Synchronization

/// Tombstones: objects in the place of documents that were removed, where a store does not delete
/// under a condition.
///
/// An object below `.docfs/tombstones`, its note, says of each beforehand that it is there: to
/// whoever lists, and to whoever will remove it.
extension S3Store {
    /// The state of a key at which there is a tombstone, or only a note about one.
    struct Burial {
        enum State: Hashable {
            /// Nobody has looked.
            case unseen
            /// Written in that second since 1970 by the store's clock, or before.
            case tombstone(Revision, by: Int64)
            /// Something else is there, or nothing: a tombstone may be on its way.
            case vacant
        }

        var state: State
        /// When the note was written, in seconds since 1970 by the store's clock; 0 without one.
        var noted: Int64
        /// Since when it is like that.
        var since = ContinuousClock.now
        /// How often it could not be removed.
        var failures = 0

        /// Whether a tombstone is the very one that was seen: a copy of it that is brought back has
        /// its revision.
        func isOf(_ tombstone: S3Object) -> Bool {
            includes(.tombstone(tombstone.revision, by: tombstone.stored))
        }

        /// Whether another look has found nothing new.
        func includes(_ other: State) -> Bool {
            switch (state, other) {
            case (_, .unseen): true
            case (.tombstone(let one, let moment), .tombstone(let two, let later)):
                one == two && later <= moment
            default: state == other
            }
        }

        func end(_ limits: S3Limits) -> ContinuousClock.Instant {
            switch state {
            case .unseen: since + limits.tombstone * ((1 << min(failures, 8)) - 1)
            case .tombstone: since + limits.tombstone * (1 << min(failures, 8))
            case .vacant: since + limits.vacantNote
            }
        }
    }

    /// The most burials that are remembered: others are looked for when there is room.
    static let remembered = 10_000
    /// So many are removed at once.
    private static let lanes = 4

    /// Puts a tombstone in the place of a document.
    func bury(_ key: String, _ expected: Revision) async throws(DocFSError) {
        guard keys.tombstone(key) != nil else { throw .nameTooLong }
        let operation = Self.drawn()
        let noted = try await writeNote(of: key, operation, evenIfThere: true)
        let body = S3Tombstone.body(operation)
        let tombstone = try await put(
            key, S3Metadata(kind: .tombstone, operation: operation),
            try S3Body(body, size: UInt64(body.count), digest: nil), .revision(expected),
            keeping: nil)
        objects.client.note(tombstone: tombstone.tag)
        remember(key, .tombstone(tombstone.revision, by: tombstone.stored), noted: noted)
    }

    /// - Parameter evenIfThere: whether one that is there is written anew, so that nobody removes
    ///   it as an old one.
    /// - Returns: when the store took it, in seconds since 1970.
    private func writeNote(
        of key: String, _ operation: OperationID, evenIfThere: Bool
    ) async throws(DocFSError) -> Int64 {
        guard let note = keys.tombstone(key) else { throw .nameTooLong }
        var condition = WriteCondition.absent
        // Ceph's gateway may forget what is written without a condition while it is deleted.
        for _ in 0..<Self.tries {
            let result = try await objects.put(
                note, [], S3Metadata(kind: .tombstone, operation: operation),
                conditions: probe.conditions(condition))
            switch result {
            case .success(let written): return written.stored
            case .failure(let failure) where failure.error == .refused || failure.isAbsence:
                let there = try await objects.head(note)
                if let there, !evenIfThere || there.metadata.operation == operation {
                    return there.stored
                }
                condition = there.map { .revision($0.revision) } ?? .absent
            case .failure(let failure): throw failure.error
            }
        }
        throw .offline("others write and delete what says that a document was removed")
    }

    private static let tries = 5

    /// A tombstone was found, which is to go, and to have a note.
    ///
    /// It has none if another program has brought it back, if it took longer to arrive than its
    /// note stayed, or if its note was lost. Where none can be written now, the next look tries
    /// again.
    ///
    /// - Parameter noted: when its note was written; `nil` where that is not known.
    func remember(_ tombstone: S3Object, at key: String, noted: Int64?) async {
        let state = Burial.State.tombstone(tombstone.revision, by: tombstone.stored)
        if probe.removes != nil { return remember(key, state, noted: 0) }
        if let noted { return remember(key, state, noted: noted) }
        let isKnown = found.withLock { found in
            found.burials[Array(key.utf8)]?.isOf(tombstone) == true
                || found.rights == nil || found.rights?.writesRefused != nil
        }
        if isKnown { return }
        do throws(DocFSError) {
            remember(
                key, state,
                noted: try await writeNote(of: key, Self.drawn(), evenIfThere: false))
        } catch {
            return
        }
    }

    private func remember(_ key: String, _ state: Burial.State, noted: Int64) {
        guard probe.removes != nil || probe.removesUnchanged else { return }
        found.withLock { found in
            let bytes = Array(key.utf8)
            if let known = found.burials[bytes] {
                if known.includes(state) { return }
            } else if found.burials.count >= Self.remembered {
                found.mayHaveMoreTombstones = true
                return
            }
            let burial = Burial(state: state, noted: noted)
            found.burials[bytes] = burial
            found.isDue(at: burial.end(limits))
        }
    }

    // MARK: Removing them

    /// Whether there are tombstones with notes that can be removed.
    private var leavesNotes: Bool { probe.removes == nil && probe.removesUnchanged }

    package func removeTombstones() async {
        do throws(DocFSError) {
            try begin()
            let areUnknown = found.withLock { $0.mayHaveMoreTombstones && $0.hasRoom }
            if areUnknown, leavesNotes { try await findNotes() }
        } catch {
            return found.withLock { found in
                found.mayHaveMoreTombstones = true
                found.nextBurial = .now + limits.tombstone * 8
            }
        }
        let due = found.withLock { found in
            found.burials.filter { $0.value.end(limits) <= .now }.map { ($0.key, $0.value) }
        }
        let isInReach = await withTaskGroup(of: Bool.self) { group in
            for lane in 0..<min(due.count, Self.lanes) {
                group.addTask {
                    for index in stride(from: lane, to: due.count, by: Self.lanes) {
                        let (key, burial) = due[index]
                        guard await self.end(burial, at: key) else { return false }
                    }
                    return true
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        let leavesNotes = leavesNotes
        found.withLock { found in
            let next = found.burials.values.map { $0.end(limits) }.min()
            let earliest = ContinuousClock.now + (isInReach ? .seconds(1) : limits.tombstone)
            let isRoom = leavesNotes && found.mayHaveMoreTombstones && found.hasRoom
            found.nextBurial = isRoom ? earliest : next.map { max($0, earliest) }
        }
    }

    /// Other devices, or this one before it was started, may have left some.
    private func findNotes() async throws(DocFSError) {
        let place = keys.tombstones(below: keys.prefix)
        found.withLock { $0.mayHaveMoreTombstones = false }
        try await objects.pages(place, isFlat: false) { (page) throws(DocFSError) in
            for object in page.objects {
                guard let key = keys.buried(saidBy: object.key) else {
                    throw .corrupt("the store lists what it was not asked for")
                }
                remember(key, .unseen, noted: object.stored)
            }
            return !found.withLock(\.mayHaveMoreTombstones)
        }
    }

    /// Ends a burial, or finds out how it is now.
    ///
    /// - Returns: whether the store is in reach.
    private func end(_ burial: Burial, at bytes: [UInt8]) async -> Bool {
        let key = String(decoding: bytes, as: UTF8.self)
        var after: Burial? = burial
        var isInReach = true
        do throws(DocFSError) {
            try begin()
            after = try await ended(burial, at: key)
        } catch {
            // One that cannot be removed holds up no other.
            after?.failures += 1
            after?.since = .now
            if case .offline = error { isInReach = false }
        }
        found.withLock { found in
            // It may have been removed once more meanwhile.
            guard found.burials[bytes]?.since == burial.since else { return }
            found.burials[bytes] = after
        }
        return isInReach
    }

    /// Removes a tombstone that has not changed for as long as it has to, and its note.
    ///
    /// Either is deleted only if nothing was written there since the second in which it was
    /// written, by the store's clock, and this device saw it long ago: whoever creates or removes a
    /// document at the name meanwhile is not affected.
    ///
    /// - Returns: what is left.
    private func ended(_ burial: Burial, at key: String) async throws(DocFSError) -> Burial? {
        guard let there = try await objects.head(key), there.isTombstone else {
            if burial.state != .vacant, probe.removes == nil {
                return Burial(state: .vacant, noted: burial.noted)
            }
            return try await removeNote(of: key, burial.noted)
        }
        guard burial.isOf(there) else {
            return Burial(
                state: .tombstone(there.revision, by: there.stored), noted: burial.noted)
        }
        guard there.isDescribed else { throw .documentRefused("its body cannot be read") }
        let condition =
            probe.removes.map { ("if-match", $0.text(there.tag)) }
            ?? S3Probe.unchanged(since: there.stored)
        if let failure = try await objects.delete(key, conditions: [condition]) {
            throw failure.error
        }
        return try await removeNote(of: key, burial.noted)
    }

    /// - Returns: what is left: a note that was written later than is known, by a device that
    ///   removes a document there again, or whose clock is another one.
    private func removeNote(of key: String, _ noted: Int64) async throws(DocFSError) -> Burial? {
        guard probe.removes == nil, let note = keys.tombstone(key) else { return nil }
        if noted > 0 {
            let unchanged = S3Probe.unchanged(since: noted)
            if try await objects.delete(note, conditions: [unchanged]) == nil { return nil }
        }
        return try await objects.head(note).map { Burial(state: .vacant, noted: $0.stored) }
    }
}
