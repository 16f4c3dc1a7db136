internal import Logging

/// Where the store has two things and a directory of Linux room for one: what the log has keeps the
/// name, and the other one is left alone.
///
/// A store of objects may have a document `d` beside documents `d/…`, which only other programs
/// make. Were the name the newcomer's, whoever may write the bucket could take a whole directory
/// away by one object; were both moved to names of their own, the other program would not find its
/// own again.
extension SyncEngine {
    /// What of other programs' is left out is named up to so many.
    private static let named = 50

    /// Looks at a directory of the log whose name a document has.
    ///
    /// Where the store has both, the directory stays. Where it has the document alone, the
    /// directory has gone with all it had, and the document is looked at again once that is
    /// recorded.
    ///
    /// - Returns: the directory, if it is gone.
    func examine(_ document: ObjectInfo, inTheNameOf directory: ItemID) async throws(DocFSError)
        -> ItemID?
    {
        let path = document.path
        guard !inFlight.contains(directory), !finished.contains(directory) else {
            lookLater(at: path)
            return nil
        }
        do throws(DocFSError) {
            _ = try await container.store.list(path)
        } catch {
            guard error == .notFound || error == .notDirectory else { throw error }
            leaveIn(path)
            replaced.insert(path)
            return directory
        }
        leaveOut(path)
        return nil
    }

    /// Directories are gone whose names other programs have given to documents: these are looked at
    /// next.
    func lookAtReplacements(of gone: [ItemPath: ItemID]) {
        for path in replaced.sorted() {
            if let item = gone[path], finished.contains(item) { lookLater(at: path) }
        }
        replaced.removeAll()
    }

    /// So many times the store refuses what is on its way into a directory before that gives way.
    private static let refusals = 4

    /// Renames a directory whose name a document of another program has taken, once the store takes
    /// nothing into it: not every store of objects has room for `d` beside `d/…`.
    ///
    /// While its deletion waits for the user (S23), it stays.
    ///
    /// - Parameter gone: what the store has no more, by where it was.
    func giveWay(_ gone: [ItemPath: ItemID]) throws(DocFSError) {
        guard !container.capabilities.moves else { return }
        let scopeID = scope.id
        for (path, directory) in gone.sorted(by: { $0.key < $1.key })
        where replaced.contains(path) && !finished.contains(directory)
            && missingAndHeld[path] == nil
        {
            let sibling = Sibling(
                item: directory, device: settings.deviceName, time: clock.wallTime())
            let found = try catalog.readConsistently {
                [refusedHomecomings] (read) throws(DocFSError) in
                var isStuck = false
                for lodger in try read.lodgers(scope: scopeID) {
                    guard refusedHomecomings[lodger.item, default: 0] >= Self.refusals,
                        let home = try read.remotePath(of: lodger.item, scope: scopeID)
                    else { continue }
                    isStuck = isStuck || home.isAtOrBelow(path)
                }
                guard isStuck, let state = try read.state(.remote, of: directory, scope: scopeID)
                else { return (ItemState, Name)?.none }
                let name = try sibling.name(for: state.name) { (name) throws(DocFSError) in
                    try read.remoteChild(name, of: state.parent, scope: scopeID) != nil
                }
                return (state, name)
            }
            guard let (state, name) = found else {
                lookLater(at: path)
                continue
            }
            log.warning("\(path) is called \(name) from now on: a document has its name")
            var after = state
            after.name = name
            let change = Change(
                operation: OperationID(using: &random), item: directory,
                before: Place(of: state), after: after, keepsBody: true)
            finished.append(FinishedEffect(change: change, verb: nil, sent: nil))
        }
    }

    // MARK: What is left out

    private func leaveOut(_ path: ItemPath) {
        guard leftOut.insert(path).inserted else { return }
        log.warning("\(path) of another program stays out: a directory has its name")
        showLeftOut()
    }

    /// Nothing stands in the way of what is at `path`, or there is nothing.
    func leaveIn(_ path: ItemPath) {
        if leftOut.remove(path) != nil { showLeftOut() }
    }

    private func showLeftOut() {
        let names = leftOut.sorted().prefix(Self.named).map { ShownText.line("\($0)") }
        catalog.bulletin.updateHealth(of: scopeID) { $0.leftOut = names }
    }

    // MARK: What counts for nobody

    /// Looks again at a path where something was found that the log has no place for: at once, and
    /// the less often, the more often that was so.
    ///
    /// Whatever a store has or says, this goes on at a pace that harms nobody.
    func lookAgain(at path: ItemPath) {
        let now = clock.now()
        let (known, next) = voided[path] ?? (0, now)
        if next > now { return }
        let count = known + 1
        let pause =
            count == 1 ? 0 : Backoff.pause(after: count - 1, from: 500_000_000, to: 60_000_000_000)
        voided[path] = (count, now + pause)
        if pause == 0 { return inbox.tell { $0.suspects.insert(path) } }
        lookLater(at: path, after: pause)
    }
}
