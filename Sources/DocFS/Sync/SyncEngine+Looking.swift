/// Listing what the container has, to find what other programs did there where no event tells.
extension SyncEngine {
    /// Compares the whole container with the remote tree.
    func lookAtEverything() async throws(DocFSError) {
        let begun = clock.now()
        guard try await isSame() else { return }
        showGuarantee()
        if onlyFollows { return attachAgain() }
        try await checkBeforeLook()
        let lodgers = try lodgersByDirectory()
        var requests: UInt64 = 0
        var directories: [ItemPath] = [.root]
        while let directory = directories.popLast() {
            if isStopping { return }
            let (count, below) = try await look(into: directory, with: lodgers[directory] ?? [])
            requests += UInt64(max(1, (count + 999) / 1000))
            directories += below
            // What was found is shown and recorded while the rest is looked for.
            try await appendFinished(evenEarly: false)
            try planQueue()
        }
        lastLook = (begun, clock.now() - begun, requests)
        isLookOwed = false
        newlyWatched.removeAll()
        visited.removeAll()
        visits.removeAll()
    }

    /// Where no events tell of changes, everything is looked at now and then.
    func isLookDue(at now: UInt64) -> Bool {
        let capabilities = container.capabilities
        if capabilities.events, unseen == nil { return false }
        let pause =
            capabilities.cheapListing
            ? settings.poll
            : LookPause.nanoseconds(least: settings.rareLook, requests: lastLook.requests)
        // At most a twentieth of the time goes into it.
        return now >= lastLook.moment + max(pause, lastLook.duration * 20)
    }

    /// Looks into directories in which there may be changes that were not told of.
    func lookIntoDirectories() async throws(DocFSError) {
        try await lookAtVisited()
        try await lookAtMoved()
        try await lookAtNewlyWatched()
    }

    // MARK: What the user looks into

    /// The user looked into a directory: what other programs did there is found soon.
    package nonisolated func noteVisit(to directory: ItemID) { inbox.visit(directory) }

    /// For so many times the interval of asking for news the listing of a directory counts.
    private static let countsFor: UInt64 = 12
    /// So many directories are listed before everything else has its turn.
    private static let listedAtOnce = 4

    /// Directories that were not listed for a while are to be.
    func note(visits directories: Set<ItemID>) {
        let now = clock.now()
        let pause = settings.poll * Self.countsFor
        func isFresh(_ moment: UInt64) -> Bool { now < moment + pause }
        if !directories.isEmpty { visited = visited.filter { isFresh($0.value) } }
        let isAllFresh = lastLook.requests > 0 && isFresh(lastLook.moment)
        for item in directories.sorted() where !isAllFresh && visited[item] == nil {
            visited[item] = now
            visits.append(item)
        }
    }

    /// Lists some of the directories that the user looked into.
    private func lookAtVisited() async throws(DocFSError) {
        guard !visits.isEmpty else { return }
        let scopeID = scope.id
        let lodgers = try lodgersByDirectory()
        for item in visits.prefix(Self.listedAtOnce) {
            if isStopping { return }
            let path = try catalog.read { (read) throws(DocFSError) in
                try read.remotePath(of: item, scope: scopeID)
            }
            if let path { _ = try await look(into: path, with: lodgers[path] ?? []) }
        }
        visits.removeFirst(min(visits.count, Self.listedAtOnce))
        if !visits.isEmpty { wake(at: clock.now()) }
    }

    // MARK: What has moved

    /// What another program did in a directory just before it moved was told of under a path that
    /// is no more: who moved it, or found it moved, looks at all that is in it.
    ///
    /// So does who made a directory of his own of one that was there.
    func noteMoves(_ effects: [FinishedEffect]) {
        for effect in effects where effect.change.after?.kind == .directory {
            guard effect.takesOver || container.capabilities.moves && effect.isMove else {
                continue
            }
            moved.append(effect.change.item)
            wake(at: clock.now())
        }
    }

    private func lookAtMoved() async throws(DocFSError) {
        guard !moved.isEmpty else { return }
        let scopeID = scope.id
        let lodgers = try lodgersByDirectory()
        while let item = moved.first {
            let path = try catalog.read { (read) throws(DocFSError) in
                try read.remotePath(of: item, scope: scopeID)
            }
            var directories = path.map { [$0] } ?? []
            while let directory = directories.popLast() {
                if isStopping { return }
                directories += try await look(into: directory, with: lodgers[directory] ?? []).below
            }
            moved.removeAll { $0 == item }
        }
    }

    // MARK: What is told of from now on

    /// So many directories are looked into before everything else has its turn.
    private static let lookedIntoAtOnce = 64

    /// Looks for what went from directories before its store told of that.
    ///
    /// What was found in them before is known once it is recorded. One that is not known itself is
    /// listed when it is found.
    private func lookAtNewlyWatched() async throws(DocFSError) {
        guard !newlyWatched.isEmpty, finished.isEmpty, suspects.isEmpty, backlog.isEmpty else {
            return
        }
        let scopeID = scope.id
        let lodgers = try lodgersByDirectory()
        for directory in newlyWatched.sorted().prefix(Self.lookedIntoAtOnce) {
            if isStopping { return }
            let item = try catalog.read { (read) throws(DocFSError) in
                try read.remoteItem(at: directory, scope: scopeID)
            }
            if item != nil {
                _ = try await look(into: directory, with: lodgers[directory] ?? [])
            }
            newlyWatched.remove(directory)
        }
        if !newlyWatched.isEmpty { wake(at: clock.now()) }
    }

    // MARK: One directory

    /// Lists a directory; what is not there as the remote tree has it is to be examined.
    ///
    /// - Parameter lodgers: the items whose objects lie in it while their paths are elsewhere.
    /// - Returns: how many entries it has, and the directories among them.
    private func look(
        into directory: ItemPath, with lodgers: [(item: ItemID, place: ItemPath)]
    ) async throws(DocFSError) -> (count: Int, below: [ItemPath]) {
        let objects: [ObjectInfo]
        do throws(DocFSError) {
            objects = try await listed(directory)
        } catch .documentRefused {
            // Keep the entries that are known.
            return (0, [])
        } catch {
            guard error == .notFound || error == .notDirectory else { throw error }
            // What the log has there went with it.
            if !directory.isRoot { suspects.insert(directory) }
            return (0, [])
        }
        var below: [ItemPath] = []
        var known = try children(of: directory, with: lodgers)
        let news = objects.filter { object in
            object.path.name.map { known[$0] == nil } ?? false
        }
        let taken = Set(news.map(\.path)).subtracting(
            try takeAsListed(news, in: directory).map(\.path))
        for object in objects where !taken.contains(object.path) {
            guard let name = object.path.name, Self.fits(object) else { continue }
            let state = known.removeValue(forKey: name)
            let isLeft = state == nil ? try isLeft(object) : false
            if !isLeft, state == nil || !agree(object, state) {
                suspects.insert(object.path)
            }
            // A document may have the name of a directory, beside which it lies.
            if state?.kind == .directory || isLeft && object.kind == .directory {
                below.append(object.path)
            } else if object.kind == .directory {
                unentered.insert(object.path)
            }
        }
        for name in known.keys { suspects.insert(directory.appending(name)) }
        return (objects.count, below)
    }

    /// What other programs and devices have put into a directory.
    ///
    /// Not what another container keeps for itself whose folder it is (S33).
    ///
    /// - Throws: `.documentRefused` where it may not be listed, of which the status tells, and
    ///   which is tried again at ever longer pauses.
    func listed(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        let objects: [ObjectInfo]
        do throws(DocFSError) {
            objects = try await container.store.list(directory)
        } catch {
            if case .documentRefused(let reason) = error {
                storeFailures.add(unlisted: directory, reason)
                lookAgain(at: directory)
            }
            throw error
        }
        if storeFailures.forget(unlisted: directory) { voided[directory] = nil }
        return objects.filter { $0.path.name != ContainerLayout.reserved }
    }
}
