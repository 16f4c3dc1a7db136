internal import Glibc
internal import Synchronization

/// Conflict versions go where their document goes, and are its conflict versions there (S24).
///
/// Found out from the notes about each, some time after the last move, so that a program that moves
/// many names moves those that it means to; and again after a restart, where that is not finished.
extension Transfers {
    /// So many notes are kept.
    private static let mostMembers = 100_000
    /// So many versions follow one document.
    private static let mostVersions = 1_000

    /// Where a member is now.
    private enum Whereabouts {
        case container(LocalItem)
        case local(DiskPlace)
        /// On its way into a container: ``noteEntry(of:_:)``.
        case entering
        case gone
    }

    /// Where a document is: also in both, where a save, or another device's edit, has brought its
    /// item back to the container.
    private struct Location {
        var item: ItemID
        var container: LocalItem?
        var local: DiskPlace?
        /// The directory of ``local``.
        var folder: Descriptor?
        /// Whether it is not known yet.
        var isUnsettled = false

        /// The scope where a version belongs that is in `Local/`, or in a container.
        func scope(forLocal isLocal: Bool) -> Int64? {
            let inLocal = local.map { _ in DocumentEvent.local }
            return isLocal ? inLocal ?? container?.scope : container?.scope ?? inLocal
        }
    }

    /// A document and its conflict versions are to be looked for.
    func relinkSoon(_ document: ItemID) {
        let now = clock.now()
        let pause = relinking.withLock { $0.note(document, at: now) }
        if let pause { relink(after: pause) }
    }

    private func relink(after pause: UInt64) {
        // Who moves something meanwhile waits no longer than that.
        linkWorkers.submit(after: UInt32(min(pause, 1_000_000_000) / 1_000)) { [self] in
            let (due, next) = relinking.withLock { $0.take(at: clock.now()) }
            for wish in due {
                do throws(DocFSError) {
                    // Noted in a transaction, which has ended then.
                    try catalog.write { _ in }
                    try relink(wish.document, after: wish.delay)
                } catch {
                    // The catalog is full, or `Local/` out of reach: after the next move, or start.
                }
            }
            if let next { relink(after: next) }
        }
    }

    /// Goes on after a restart.
    func recoverConflictMembers(_ scopes: [CloudScope]) throws(DocFSError) {
        clouds.withLock { $0 = scopes }
        guard catalog.hasConflictMembers else { return }
        try catalog.write { (write) throws(DocFSError) in
            try write.limitConflictMembers(to: Self.mostMembers)
        }
        let documents = try catalog.read { (read) throws(DocFSError) in
            try read.documentsToRelink()
        }
        for document in documents { relinkSoon(document) }
    }

    private func relink(_ document: ItemID, after delay: UInt64) throws(DocFSError) {
        let location = try locate(document)
        if location.isUnsettled {
            let now = clock.now()
            let pause = relinking.withLock { $0.postpone(document, after: delay, at: now) }
            if let pause { relink(after: pause) }
            return
        }
        let versions = try members(of: location.item).filter(\.isVersion)
        for version in versions {
            do throws(DocFSError) {
                if version.file == 0 { try checkPlace(of: version) }
                if try relink(version, location) { _ = try relink(version, location) }
            } catch {
                // The name is taken, the container is read-only, the disk is full: it stays where
                // it is until the next move, or start.
            }
        }
        let left = try members(of: location.item)
        if left.contains(where: \.isVersion) { return }
        for member in left { try forget(member) }
    }

    private func members(of document: ItemID) throws(DocFSError) -> [ConflictMember] {
        try catalog.read { (read) throws(DocFSError) in try read.conflictMembers(of: document) }
    }

    /// Forgets a member, unless something else is known of it by now.
    private func forget(_ member: ConflictMember) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in
            if try write.read.conflictMember(id: member.id) == member { try write.forget(member) }
        }
    }

    // MARK: Where they are

    /// Finds out which item a document is now, and where; from then on its versions are that
    /// item's, and known.
    private func locate(_ document: ItemID) throws(DocFSError) -> Location {
        var location = Location(item: document)
        let isReplaced: Bool
        (location.container, isReplaced) = try catalog.read { (read) throws(DocFSError) in
            (try read.shown(document), try self.isReplaced(document, read))
        }
        if location.container == nil, isReplaced {
            location.isUnsettled = true
            return location
        }
        for note in try members(of: document) where !note.isVersion {
            try checkPlace(of: note)
            guard let (note, place) = try find(note.id) else { continue }
            switch place {
            case .gone: try forget(note)
            case .entering: break
            // A document is where its first name is.
            case .container where location.local != nil: try forget(note)
            case .container(let row) where row.item == document:
                try catalog.write { (write) throws(DocFSError) in try write.remove(note) }
            case .container(let row):
                try catalog.write { (write) throws(DocFSError) in
                    if location.container == nil {
                        try noteVersions(of: document, owner: row.owner, write)
                    }
                    try write.remove(note)
                    try write.followDocument(document, to: row.item)
                }
                return Location(item: row.item, container: row)
            case .local where location.local != nil: try forget(note)
            case .local(let place):
                location.local = place
                location.folder = try folder(of: place)
            }
        }
        if location.local != nil, location.container == nil {
            try catalog.write { (write) throws(DocFSError) in
                try noteVersions(of: document, owner: user, write)
            }
        }
        return location
    }

    private func noteVersions(of document: ItemID, owner: UInt32, _ write: CatalogWriter)
        throws(DocFSError)
    {
        let known = try write.read.conflictMembers(of: document).count
        for scope in try write.read.scopes() where known < Self.mostVersions {
            try write.addVersions(
                of: document, scope: scope.id, owner: owner, having: SiblingName.conflictWords,
                atMost: Self.mostVersions - known)
        }
    }

    /// Whether a document has left a name in its container that something new has by now: after the
    /// settle time, that may be its next version (S14).
    private func isReplaced(_ document: ItemID, _ read: CatalogReader) throws(DocFSError) -> Bool {
        for scope in try read.scopes() {
            guard let base = try read.state(.base, of: document, scope: scope.id) else { continue }
            if try read.rowMade(insteadOf: base, in: scope) != nil { return true }
        }
        return false
    }

    /// What is known of a member by now.
    private func find(_ id: Int64) throws(DocFSError) -> (ConflictMember, Whereabouts)? {
        try catalog.read { (read) throws(DocFSError) in
            guard let member = try read.conflictMember(id: id) else { return nil }
            return (member, try whereabouts(of: member, read))
        }
    }

    private func whereabouts(of member: ConflictMember, _ read: CatalogReader) throws(DocFSError)
        -> Whereabouts
    {
        guard let ino = member.ino else {
            return member.place.map { .local(onDisk($0)) } ?? .gone
        }
        guard let row = try read.local(ino) else { return .gone }
        if row.isDeparting {
            return try read.incoming(ino: ino).map { .local($0.place) } ?? .entering
        }
        if row.parent != nil { return .container(row) }
        return row.links == 0 ? .gone : .entering
    }

    /// Forgets a member that is not in `Local/` any more, or takes over what has its name since it
    /// was removed or renamed there.
    private func checkPlace(of member: ConflictMember) throws(DocFSError) {
        // A directory that is not found may be on a disk that is not mounted now.
        guard member.ino == nil, let place = member.place,
            let folder = try folder(of: onDisk(place))
        else { return }
        guard let status = try Posix.statusIfPresent(at: folder.number, place.name.bytes),
            status.isRegularFile, member.file == 0 || status.inode == member.file
        else { return try forget(member) }
        if status.inode == member.file { return }
        try catalog.write { (write) throws(DocFSError) in
            guard try write.read.conflictMember(id: member.id) == member else { return }
            var saved = member
            saved.file = status.inode
            try write.update(saved)
        }
    }

    private func folder(of place: DiskPlace) throws(DocFSError) -> Descriptor? {
        if let known = arrivals.directory(of: place) { return known }
        let number = local.table.number(
            of: LocalIdentity(device: place.device, inode: place.inode))
        // One that the kernel has forgotten is looked for.
        if let known = try? local.descriptor(of: number) { return known }
        return try find(place)?.folder
    }

    // MARK: What becomes of a version

    /// - Returns: whether it has followed its document.
    private func relink(_ known: ConflictMember, _ location: Location) throws(DocFSError) -> Bool {
        guard case (let version, let place)? = try find(known.id) else { return false }
        let placement: ConflictPlacement
        switch place {
        case .gone:
            try forget(version)
            return false
        case .entering: return false
        case .local:
            placement = ConflictPlacement(
                document: location.scope(forLocal: true), version: DocumentEvent.local,
                movedAlone: version.movedAlone, hasOwnName: true)
        case .container(let row):
            placement = ConflictPlacement(
                document: location.scope(forLocal: false), version: row.scope,
                movedAlone: version.movedAlone, hasOwnName: row.name == version.name)
        }
        switch placement {
        case .waits: return false
        case .detached: try forget(version)
        case .linked: try link(version, place, location)
        case .follows:
            guard try follow(version, place, location) else { return false }
            try setTogether(version.id)
            return true
        }
        return false
    }

    private func setTogether(_ id: Int64) throws(DocFSError) {
        try catalog.write { (write) throws(DocFSError) in
            guard var version = try write.read.conflictMember(id: id), version.movedAlone else {
                return
            }
            version.movedAlone = false
            try write.update(version)
        }
    }

    private func link(_ version: ConflictMember, _ place: Whereabouts, _ location: Location)
        throws(DocFSError)
    {
        guard case .container(let row) = place, let document = location.container else {
            return try setTogether(version.id)
        }
        try catalog.write { (write) throws(DocFSError) in
            // It may have moved on since it was looked for.
            guard try write.read.conflictMember(id: version.id) == version,
                var row = try write.read.local(row.ino), row.parent != nil,
                row.scope == document.scope, row.name == version.name,
                let document = try write.read.local(document.ino), document.parent != nil
            else { return }
            try write.remove(version)
            // The version of another document by now stays that, and no version has versions.
            var isFree = true
            if let mark = row.conflictOf?.document { isFree = try write.read.shown(mark) == nil }
            guard isFree, document.conflictOf == nil, row.ino != document.ino,
                !row.isExcluded, !document.isExcluded
            else { return }
            row.conflictOf = ConflictMark(of: document.item)
            try write.update(row)
            try write.markEdited(row)
        }
    }

    // MARK: Following

    private func follow(
        _ version: ConflictMember, _ place: Whereabouts, _ location: Location
    ) throws(DocFSError) -> Bool {
        switch place {
        case .container(let row):
            if let document = location.container, let parent = document.parent {
                try followAcross(row, to: FileNumber(row: parent), scope(document.scope))
            } else if let place = location.local, let folder = location.folder {
                try followOut(row, to: place, folder)
            } else {
                return false
            }
        case .local(let source):
            guard let document = location.container, let parent = document.parent else {
                return false
            }
            let isHere = try followIn(
                version, from: source, to: FileNumber(row: parent), scope(document.scope))
            if !isHere {
                try forget(version)
                return false
            }
        case .entering, .gone: return false
        }
        return true
    }

    /// A container that may be changed.
    private func scope(_ id: Int64) throws(DocFSError) -> CloudScope {
        guard let scope = clouds.withLock({ $0.first { $0.id == id } }) else { throw .stale }
        try catalog.bulletin.refuseReadOnly(id)
        return scope
    }

    private func followOut(_ known: LocalItem, to target: DiskPlace, _ folder: Descriptor)
        throws(DocFSError)
    {
        guard let above = known.parent else { return }
        let scope = try scope(known.scope)
        try reserve(known, on: folder)
        let place = DiskPlace(device: target.device, inode: target.inode, name: known.name)
        try catalog.write { (write) throws(DocFSError) in
            let parent = try scope.directory(FileNumber(row: above), in: write.read)
            guard let row = try write.read.child(known.name, of: above), row.ino == known.ino else {
                throw .notFound
            }
            try depart(row, from: parent, to: place, scope, write)
        }
        arrivals.keep(folder, at: place)
        try arrivals.whileNoneLands { () throws(DocFSError) in
            setTime(of: folder, to: clock.wallTime())
        }
        entryAppeared(known.name, in: above)
        invalidator.entryChanged(
            in: local.table.number(
                of: LocalIdentity(device: target.device, inode: target.inode)), known.name)
        lookAgain()
    }

    /// - Returns: whether it was there.
    private func followIn(
        _ version: ConflictMember, from source: DiskPlace, to parent: FileNumber,
        _ scope: CloudScope
    ) throws(DocFSError) -> Bool {
        guard let directory = try number(of: source) else { throw .stale }
        let move = Move(
            name: source.name, parent: directory, newName: source.name, newParent: parent,
            mode: .noReplace, caller: daemon)
        do throws(DocFSError) {
            // One on its way there is in the catalog alone.
            if version.ino == nil {
                let status = try local.status(of: source.name, in: directory)
                guard status.isRegularFile, status.inode == version.file else { return false }
            }
            try moveIn(move, to: scope)
        } catch .notFound {
            return false
        }
        invalidator.entryChanged(in: directory, source.name)
        entryAppeared(source.name, in: parent.row)
        return true
    }

    private func followAcross(_ row: LocalItem, to parent: FileNumber, _ newScope: CloudScope)
        throws(DocFSError)
    {
        guard let above = row.parent else { return }
        let move = Move(
            name: row.name, parent: FileNumber(row: above), newName: row.name, newParent: parent,
            mode: .noReplace, caller: daemon)
        try moveAcross(move, from: scope(row.scope), to: newScope)
        entryAppeared(row.name, in: above)
        entryAppeared(row.name, in: parent.row)
    }

    private var daemon: Caller { Caller(user: user, group: getegid(), thread: 0) }

    /// The number of the directory that a place is in, as one that can be reached.
    private func number(of place: DiskPlace) throws(DocFSError) -> FileNumber? {
        let number = local.table.number(
            of: LocalIdentity(device: place.device, inode: place.inode))
        // One that the kernel has forgotten is looked for.
        if (try? local.descriptor(of: number)) != nil { return number }
        guard let way = try find(place)?.way else { return nil }
        var above = local.root
        for name in way {
            guard let next = try local.lookup(name, in: above).attributes?.number else {
                return nil
            }
            above = next
        }
        return above
    }
}
