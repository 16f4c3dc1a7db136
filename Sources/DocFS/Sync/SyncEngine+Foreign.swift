internal import Logging

/// What other programs do in the store (S2's counterpart for containers): found by looking, taken
/// as a change by another device, and in effect only once the log has it.
extension SyncEngine {
    /// How long an object of ours that no record tells of waits for its author, in nanoseconds.
    private static let lease: UInt64 = 2_000_000_000
    /// How long a missing object may be one that its mover has yet to record, in nanoseconds: a
    /// device moves or removes first and records then.
    private static let goneLease: UInt64 = 800_000_000

    /// For how long a busy device is given more time, in nanoseconds: it records many changes one
    /// batch after the other, and what it has not come to yet is not to be taken for nobody's.
    static let busyLease: UInt64 = 60_000_000_000

    /// When the time for an author's record is over that was first missed at `moment`: other
    /// devices have recorded nothing for `lease`, or all too long.
    private func end(of lease: UInt64, since moment: UInt64) -> UInt64 {
        min(max(moment, lastRecordOfOthers) + lease, moment + Self.busyLease)
    }

    /// So many paths are looked at before everything else has its turn.
    private static let examinedAtOnce = 256
    /// So many changes are found before they are recorded: each is held until then.
    private static let foundAtOnce = 4_096
    /// How long a round of looks goes on at most, in nanoseconds: a store may be slow to answer.
    private static let longestLook: UInt64 = 5_000_000_000

    /// Looks at some of the paths where the store may have changed.
    ///
    /// Stops while too many finds wait to be recorded: ``appendFinished(evenEarly:)`` wakes the
    /// engine when it may go on.
    func examineSuspects() async throws(DocFSError) {
        guard finished.count < Self.foundAtOnce else { return glances.removeAll() }
        if backlog.isEmpty {
            backlog = suspects.sorted()[...]
            suspects.removeAll()
        }
        var paths = backlog.prefix(Self.examinedAtOnce)
        backlog.removeFirst(paths.count)
        if !backlog.isEmpty || !suspects.isEmpty { wake(at: clock.now()) }
        await glance(at: paths)
        defer {
            if finished.count < Self.foundAtOnce {
                glances.removeAll()
                // Behind the others, which may be answered for.
                backlog.append(contentsOf: paths)
            } else {
                // They are next. Directories, which bring most finds, are not asked for again.
                glances = glances.filter { $0.value.kind == .directory }
                backlog = paths + backlog
            }
        }
        let end = clock.now() + Self.longestLook
        while let path = paths.first {
            if isStopping { return }
            // One directory may have brought thousands.
            if clock.now() > end || finished.count >= Self.foundAtOnce {
                return wake(at: clock.now())
            }
            paths.removeFirst()
            lateLooks.remove(path)
            guard !path.isRoot, !path.components.contains(Self.reserved),
                path.components.count <= ItemPath.maximumDepth
            else { continue }
            do throws(DocFSError) {
                if let item = try await examine(path),
                    missing.updateValue(item, forKey: path) == nil
                {
                    lastMissing = clock.now()
                }
            } catch .notDirectory {
                continue
            } catch .documentRefused(let reason) {
                // One document's trouble holds up no other.
                log.info("\(path) cannot be looked at: \(reason)")
                lookAgain(at: path)
            }
        }
    }

    /// So many paths are asked for at once.
    private static let glancesAtOnce = 8

    /// Asks for many paths at once where each is a request.
    ///
    /// What is found counts only for paths of which nothing is known: the rest is asked for again
    /// when its turn has come.
    private func glance(at paths: ArraySlice<ItemPath>) async {
        guard !container.capabilities.cheapListing, paths.count > 1 else { return }
        let end = clock.now() + Self.longestLook
        let lanes = (0..<min(paths.count, Self.glancesAtOnce)).map { lane in
            Task {
                for index in stride(
                    from: paths.startIndex + lane, to: paths.endIndex, by: Self.glancesAtOnce)
                where glances[paths[index]] == nil && !isStopping && clock.now() <= end {
                    glances[paths[index]] = try? await container.store.head(paths[index])
                }
            }
        }
        for lane in lanes { await lane.value }
    }

    /// What has been missing for a while, and is still, is gone.
    ///
    /// Deletes that come together are counted together (S23).
    func examineMissing() async throws(DocFSError) {
        guard !missing.isEmpty, backlog.isEmpty, suspects.isEmpty, !isStopping else { return }
        // However busy others are.
        let doubt = min(absencesAreDoubtedUntil, lastMissing + Self.busyLease)
        let moment = max(end(of: Self.goneLease, since: lastMissing), endOfRestoring, doubt)
        guard clock.now() >= moment else { return wake(at: moment) }
        if lastPoll < moment { try await pull() }
        var gone: [ItemPath: ItemID] = [:]
        for path in missing.keys.sorted() {
            do throws(DocFSError) {
                gone[path] = try await examine(path)
            } catch .documentRefused {
                // It is there, or may be.
                lookAgain(at: path)
            }
        }
        // What was seen under another name has moved: its mover records that, or we do.
        let moved = Set(strangers.values.compactMap(\.item))
        if gone.values.contains(where: moved.contains) {
            return wake(at: clock.now() + Self.lease / 4)
        }
        if gone.count > Self.few, lastLook.moment < lastMissing {
            // All that is missing is counted together, whether its event has come yet or not.
            try await lookAtEverything()
            return wake(at: clock.now())
        }
        missing.removeAll()
        try await adopt(gone: gone)
        try giveWay(gone)
        lookAtReplacements(of: gone)
    }

    private static let reserved = ContainerLayout.reserved

    /// The items whose objects lie in a directory, by their objects' names.
    ///
    /// - Parameter lodgers: those whose paths are elsewhere.
    func children(
        of directory: ItemPath, with lodgers: [(item: ItemID, place: ItemPath)]
    ) throws(DocFSError) -> [Name: ItemState] {
        let scope = scope
        // Every lookup of its own would lock the catalog.
        return try catalog.readConsistently { (read) throws(DocFSError) in
            var children: [Name: ItemState] = [:]
            for (item, place) in lodgers {
                if let name = place.name {
                    children[name] = try read.state(.remote, of: item, scope: scope.id)
                }
            }
            guard let item = try read.remoteItem(at: directory, scope: scope.id) else {
                return children
            }
            for (child, state) in try read.remoteStates(in: item, scope: scope.id)
            where try read.lodging(of: child, scope: scope.id) == nil {
                children[state.name] = state
            }
            return children
        }
    }

    /// Whether an object is as the log has it.
    ///
    /// A mode that the store takes with a body alone is the one of that moment: what was set since
    /// only the log has.
    func agree(_ object: ObjectInfo, _ state: ItemState?) -> Bool {
        let mayBeLink = !object.isDescribed && object.kind == .file
        guard let state, object.kind == state.kind || mayBeLink && state.kind == .symlink else {
            return false
        }
        guard object.revision == state.content.revision else { return false }
        guard container.capabilities.metadataInPlace, let mode = object.mode else { return true }
        return mode == state.metadata.mode & 0o777
    }

    /// Looks at one path.
    ///
    /// - Returns: the item that the store has no more, if that is what was found.
    private func examine(_ path: ItemPath) async throws(DocFSError) -> ItemID? {
        var (item, state) = try objectState(at: path)
        var found = glances[path]
        if found == nil || item != nil {
            found = try await described(path)
            (item, state) = try objectState(at: path)
        }
        guard let found else {
            unentered.remove(path)
            strangers[path] = nil
            voided[path] = nil
            doubts.forget(path)
            leaveIn(path)
            storeFailures.forget(unlistedBelow: path)
            if !finished.isEmpty || !inFlight.isEmpty { finished.miss(path) }
            guard let item, !inFlight.contains(item), !isAwaited(item),
                !mayBeStale(nil, at: path, of: item, state)
            else { return nil }
            return item
        }
        let isTaken = state?.kind == .directory && found.kind != .directory
        if !isTaken { self.found(path) }
        var isExplained = agree(found, state)
        if item == nil, !isExplained { isExplained = try isLeft(found) }
        if isExplained {
            strangers[path] = nil
            if !storeFailures.isUnlisted(path) { voided[path] = nil }
            doubts.forget(path)
            leaveIn(path)
            if unentered.contains(path) || storeFailures.isUnlisted(path) {
                if found.kind == .directory { try await examineBelow(path) }
                unentered.remove(path)
            }
            return nil
        }
        if let item, mayBeStale(found, at: path, of: item, state) { return nil }
        if try mayBeRestored(found, state) { return nil }
        // What a directory is missing for has been waited for.
        if !isTaken || missing[path] == nil, try mustWait(for: found) { return nil }
        if isTaken, let item { return try await examine(found, inTheNameOf: item) }
        leaveIn(path)
        try await adopt(found, knownAs: item, state)
        return nil
    }

    /// The object at a path.
    ///
    /// An answer that makes no sense only means that it cannot be looked at.
    private func described(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        do throws(DocFSError) {
            return try await container.store.head(path)
        } catch .corrupt(let reason) {
            throw .documentRefused(reason)
        }
    }

    /// The item whose object lies at a path, as the log has it.
    private func objectState(at path: ItemPath) throws(DocFSError) -> (ItemID?, ItemState?) {
        let scope = scope
        return try catalog.read { (read) throws(DocFSError) in
            guard let item = try read.objectItem(at: path, scope: scope.id) else {
                return (ItemID?.none, ItemState?.none)
            }
            return (item, try read.state(.remote, of: item, scope: scope.id))
        }
    }

    func isAwaited(_ item: ItemID) -> Bool {
        finished.contains(item)
    }

    /// Whether the object is the work of a device whose record has not come yet.
    private func mustWait(for object: ObjectInfo) throws(DocFSError) -> Bool {
        if let item = object.metadata?.item ?? object.formerItem,
            inFlight.contains(item) || isAwaited(item)
        {
            // Where another program has moved what this device sends, nobody tells of it again.
            if let place = try objectPath(of: item), place != object.path {
                lookLater(at: object.path)
            }
            return true
        }
        // No other device records anything there.
        if container.capabilities.logIsPrivate { return false }
        if object.metadata == nil, object.isDescribed {
            if object.kind == .file { return false }
            // On a store of objects a device marks each directory that it makes.
            if !container.capabilities.moves { return false }
        }
        return mustWait(forRecordOf: object)
    }

    /// What was at a path when it was first seen there that no record tells of.
    struct Sighting {
        let revision: Revision?
        let operation: OperationID?
        /// The item that the object says it is.
        let item: ItemID?
        let moment: UInt64
    }

    /// Whether an object that no record explains has still time to be explained; it is looked at
    /// again.
    private func mustWait(forRecordOf object: ObjectInfo) -> Bool {
        let path = object.path
        let operation = object.metadata?.operation
        var since = clock.now()
        if let known = strangers[path], known.revision == object.revision,
            known.operation == operation
        {
            since = known.moment
        }
        strangers[path] = Sighting(
            revision: object.revision, operation: operation,
            item: object.metadata?.item ?? object.formerItem, moment: since)
        // Its author looks at nothing in it, and what was put there was told of too early.
        if object.kind == .directory { unentered.insert(path) }
        let isOurs = object.metadata != nil || !object.isDescribed
        // The log has been read since: looking at many paths may have taken long.
        if lastPoll >= (isOurs ? end(of: Self.lease, since: since) : since + Self.lease) {
            strangers[path] = nil
            return false
        }
        lookLater(at: path)
        return true
    }

    /// Looks at `path` again when the log may explain it.
    func lookLater(at path: ItemPath) { lookLater(at: path, after: Self.lease / 4) }

    /// - Parameter pause: nanoseconds.
    func lookLater(at path: ItemPath, after pause: UInt64) {
        lateLooks.insert(path)
        Task { [clock, inbox] in
            await clock.sleep(nanoseconds: pause)
            inbox.tell { contents in
                contents.suspects.insert(path)
                contents.logGrew = true
            }
        }
    }

    /// Takes what is in the store as a change by another device.
    private func adopt(_ object: ObjectInfo, knownAs item: ItemID?, _ state: ItemState?)
        async throws(DocFSError)
    {
        guard let name = object.path.name, Self.fits(object) else { return }
        if item == nil, try await adoptHomecoming(object) { return }
        var object = object
        if let item, let state, state.kind != object.kind {
            guard let link = try await linkAgain(object, knownAs: item, state) else { return }
            object = link
        }
        // What lodges is in the directory that the log names, though nobody knows where it lies.
        var parent = state?.parent
        if parent == nil { parent = try parentItem(of: object.path) }
        guard let parent else {
            // Who made the directory, perhaps we, has yet to record it, and looks at nothing in it.
            lookLater(at: object.path)
            return inbox.tell { $0.suspects.insert(object.path.parent) }
        }
        // Nothing is shown below a document, which had the name first.
        guard try remoteState(parent)?.kind ?? .directory == .directory else { return }
        let isCarried = try isCarriedOver(object)
        let metadata = metadata(of: object, over: state, isCarriedOver: isCarried)
        guard var content = Self.content(of: object, isCarriedOver: isCarried) else { return }
        if let body = content.body {
            guard let body = identified(body, at: object.path, knownAs: state) else { return }
            content = .file(body)
        }
        var after = ItemState(
            parent: parent, name: state?.name ?? name, metadata: metadata,
            content: content, conflictOf: state.flatMap { Self.mark(of: content, over: $0) })
        var id = item
        var before = state.map(Place.init(of:))
        // Who claims to be the root is anybody.
        if id == nil, let claimed = object.metadata?.item ?? object.formerItem, claimed != .root {
            (id, before) = try await identity(claimed, at: object.path)
            if before != nil, let known = try remoteState(claimed) {
                keep(known, in: &after, of: object)
            }
        }
        let change = Change(
            operation: isCarried
                ? OperationID(using: &random)
                : try operation(of: object, of: id, try id.flatMap(remoteState)),
            item: id ?? ItemID(using: &random),
            before: before, after: try besideLodger(after, of: id),
            object: container.capabilities.moves ? nil : object.path)
        if let breach = change.breach {
            // Nobody would take it: it stays what another program has there.
            return log.warning("\(object.path) stays out of the container: \(breach)")
        }
        finished.append(
            FinishedEffect(change: change, verb: nil, sent: nil, place: object.path))
        log.debug("found \(object.path) changed in the store")
        unentered.remove(object.path)
        if object.kind == .directory { try await examineBelow(object.path) }
    }

    /// The mark of what another program has left of `known`: its bytes, if they are others, may be
    /// made from anything.
    private static func mark(of content: ItemContent, over known: ItemState) -> ConflictMark? {
        content.revision == known.content.revision
            ? known.conflictOf : known.conflictOf?.withoutBase
    }

    /// What moves keeps what only the log knows of it.
    private func keep(_ known: ItemState, in after: inout ItemState, of object: ObjectInfo) {
        after.conflictOf = Self.mark(of: after.content, over: known)
        after.metadata.attributes = known.metadata.attributes
        // A mode that the store takes with a body alone is the one of that moment.
        if object.mode == nil || !container.capabilities.metadataInPlace {
            after.metadata.mode = known.metadata.mode & 0o777
        }
    }

    /// Under which operation a change is recorded that was found in the store: a body that is new
    /// goes under the one that its author, who has yet to record it, knows it by, so that it is not
    /// taken for an edit there.
    ///
    /// A body that a backup brought back was already recorded under its operation: it needs a new
    /// one.
    private func operation(of object: ObjectInfo, of item: ItemID?, _ known: ItemState?)
        throws(DocFSError) -> OperationID
    {
        guard let metadata = object.metadata, metadata.item == item,
            finished[metadata.operation] == nil, try !isRecorded(metadata)
        else { return OperationID(using: &random) }
        if known == nil { return metadata.operation }
        if case .file(let body)? = known?.content, body.digest != metadata.digest {
            return metadata.operation
        }
        return OperationID(using: &random)
    }

    /// Whether an object that carries an item's id is that item, moved by another program, or a
    /// copy of it.
    private func identity(_ item: ItemID, at path: ItemPath) async throws(DocFSError)
        -> (ItemID?, Place?)
    {
        guard !finished.contains(item) else { return (nil, nil) }
        guard let state = try remoteState(item) else { return (item, nil) }
        guard let oldPath = try objectPath(of: item), try await described(oldPath) == nil
        else { return (nil, nil) }
        return (item, Place(of: state))
    }

    func remoteState(_ item: ItemID) throws(DocFSError) -> ItemState? {
        let scope = scope
        return try catalog.read { (read) throws(DocFSError) in
            try read.state(.remote, of: item, scope: scope.id)
        }
    }

    func parentItem(of path: ItemPath) throws(DocFSError) -> ItemID? {
        let scope = scope
        let known = try catalog.read { (read) throws(DocFSError) -> ItemID? in
            // A directory that moved still has the objects that were put into it meanwhile.
            if let lodger = try read.lodger(at: path.parent, scope: scope.id) { return lodger }
            return try read.remoteItem(at: path.parent, scope: scope.id)
        }
        if let known { return known }
        // Its directory may be among what has just been found.
        guard let above = try parentItem(of: path.parent), let name = path.parent.name else {
            return nil
        }
        return finished.item(found: name, in: above)
    }

    /// Whether an object lies no deeper than a container goes: a directory leaves room for a name.
    static func fits(_ object: ObjectInfo) -> Bool {
        object.path.components.count + (object.kind == .directory ? 1 : 0)
            <= ItemPath.maximumDepth
    }

    static func content(of object: ObjectInfo, isCarriedOver: Bool = false)
        -> ItemContent?
    {
        switch object.kind {
        case .directory: return .directory
        case .symlink:
            guard let target = object.target, let revision = object.revision else { return nil }
            return .symlink(target: target, revision: revision)
        case .file:
            guard let revision = object.revision else { return nil }
            let digest = isCarriedOver ? nil : object.metadata?.digest
            return .file(Body(size: object.size, digest: digest, revision: revision))
        }
    }

    private func examineBelow(_ directory: ItemPath) async throws(DocFSError) {
        do throws(DocFSError) {
            let objects = try await listed(directory)
            let rest = try takeAsListed(objects, in: directory)
            let known = try children(
                of: directory, with: lodgersByDirectory()[directory] ?? [])
            // What the log has moved with its directory; what it does not have, also further below,
            // was told of under a path that is no more.
            let below = rest.filter { $0.kind == .directory && Self.fits($0) }.map(\.path)
            let news = rest.filter { object in
                !agree(object, object.path.name.flatMap { known[$0] })
            }
            unentered.formUnion(below)
            let paths = Set(below).union(news.map(\.path))
            inbox.tell { contents in contents.suspects.formUnion(paths) }
        } catch .notFound {
            // Gone again, of which its event tells.
        } catch .documentRefused {
            // ``listed(_:)`` has had it looked at again.
        }
    }
}
