/// Carries out the steps about this device, within one transaction.
///
/// Every row whose name or body changes is claimed first, so that no process can begin to write
/// into something that is being replaced; the claims end after the commit.
struct LocalApplier {
    /// Whether a step was carried out.
    enum Outcome: Equatable {
        case done
        /// A process is writing, or something else has to be planned first.
        case blocked
        /// The bytes of this row are to be hashed first.
        case needsDigest(ino: Int64)
    }

    let write: CatalogWriter
    let scope: ScopeRecord
    let settings: SyncSettings
    let replica: any Replica
    let now: Timestamp
    /// Identities for items that a conflict makes.
    let newItem: () -> ItemID
    /// What was found out about bytes already.
    let bodies: KnownBodies
    var notices: [LocalNotice] = []
    /// Directories that came back for the sake of what is in them, or that have one entry less:
    /// their own plans may have waited for that.
    private(set) var directories: [ItemID] = []
    private(set) var claims: [Int64] = []
    private(set) var events: [DocumentEvent] = []
    /// The conflict versions that ``events`` tell of, with their documents.
    private(set) var told: [ItemID: ItemID] = [:]
    /// Who has recorded something last of an item; `nil` while nobody reads events.
    private let records: [ItemID: LastRecord]?
    /// Items whose row was put aside to make room and that go on in this transaction.
    var parked: [ItemID] = []
    /// Bodies that stay here until they are put back.
    var soleBodies: [SoleBody] = []
    /// Whether there are to be any: not where this device may write nothing.
    var keepsSoleBodies = true
    /// Whether any document may have a body without a name; `nil` until somebody asks.
    var hasNamelessBodies: Bool?
    /// Items that effects are under way for, or about to be, unless nobody knows when they end.
    let inFlight: Set<ItemID>
    /// What the last step has shown in a row of its own, as it is now.
    private(set) var shown: Trio?
    /// The directory in which something was shown last, while no step but showing has followed.
    var lastHome: Home?

    /// A directory in which something is shown.
    struct Home {
        let item: ItemID
        let ino: Int64
        /// Once it was needed; `nil` within where nothing links it to the root.
        fileprivate var path: ItemPath??
    }

    init(
        write: CatalogWriter, scope: ScopeRecord, settings: SyncSettings, replica: any Replica,
        now: Timestamp, newItem: @escaping () -> ItemID, bodies: KnownBodies,
        inFlight: Set<ItemID> = [], records: [ItemID: LastRecord]? = nil
    ) {
        self.write = write
        self.scope = scope
        self.settings = settings
        self.replica = replica
        self.now = now
        self.newItem = newItem
        self.bodies = bodies
        self.inFlight = inFlight
        self.records = records
    }

    var read: CatalogReader { write.read }

    // MARK: Steps

    /// Carries out one step about this device.
    mutating func apply(_ step: Step, to trio: Trio) throws(DocFSError) -> Outcome {
        shown = nil
        defer { if step != .show { lastHome = nil } }
        switch step {
        case .agree: return try agree(trio)
        case .forget:
            try setBase(trio.item, nil)
            // Somebody else may have been quicker to record that it went.
            try write.removeHandover(of: trio.item, scope: scope.id)
            return .done
        case .revive: return try revive(trio)
        case .show: return try show(trio)
        case .retag: return try retag(trio)
        case .refresh: return try refresh(trio)
        case .relocate: return try relocate(trio)
        case .redescribe: return try redescribe(trio)
        case .hide: return try hide(trio)
        case .divert: return try divert(trio)
        case .rest, .wait, .create, .replace, .move, .describe, .bringHome, .remove, .sendAside,
            .fetch, .keepWritten:
            return .blocked
        }
    }

    /// Lets the items that were put aside go on.
    ///
    /// They take their place again or get another one.
    mutating func settleParked() throws(DocFSError) {
        while let item = parked.popLast() {
            for _ in 0..<8 {
                let trio = try self.trio(item)
                guard let row = trio.row, row.name.bytes.first == 0 else { break }
                if try apply(trio.step, to: trio) == .done { continue }
                try setAside(row, marked: nil)
            }
        }
    }

    func trio(_ item: ItemID) throws(DocFSError) -> Trio {
        try trio(item, base: read.state(.base, of: item, scope: scope.id))
    }

    /// The item as it is after the last step: not read where that has just shown it.
    func again(_ item: ItemID) throws(DocFSError) -> Trio {
        if let shown, shown.item == item { return shown }
        return try trio(item)
    }

    func trio(_ item: ItemID, base: ItemState?) throws(DocFSError) -> Trio {
        try Trio(
            item, base: base, scope: scope, in: read, replica: replica, bodies: bodies,
            fetchFirst: settings.fetchFirst)
    }

    func setBase(_ item: ItemID, _ state: ItemState?) throws(DocFSError) {
        try write.setState(.base, of: item, scope: scope.id, to: state)
    }

    mutating func claim(_ row: LocalItem) -> Bool {
        if claims.contains(row.ino) { return true }
        guard replica.claim(row.ino) else { return false }
        claims.append(row.ino)
        return true
    }

    private mutating func agree(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard let remote = trio.remote else { return .blocked }
        if var row = trio.row, row.isFile || row.isSymlink {
            row.rebase(onto: remote)
            try write.update(row)
            notices.append(.sent(ino: row.ino))
        }
        try setBase(trio.item, remote)
        return .done
    }

    private func revive(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row else { return .blocked }
        row.basis = nil
        try write.update(row)
        try setBase(trio.item, nil)
        return .done
    }

    /// - Parameter kind: what it is to whoever reads events.
    mutating func show(_ trio: Trio, as kind: DocumentEvent.Kind = .arrived)
        throws(DocFSError) -> Outcome
    {
        guard let remote = trio.remote, let home = try home(remote.parent) else {
            return .blocked
        }
        switch try makeRoom(remote.name, in: home.ino, for: trio.item, remote) {
        case .free: break
        case .merged: return .done
        case .stuck(let outcome): return outcome
        }
        try write.removeHandover(of: trio.item, scope: scope.id)
        var row = makeRow(trio.item, remote, parent: home.ino)
        row.ino = try insert(row)
        if row.isDirectory { try changeLinks(of: home.ino, by: 1) }
        try setBase(trio.item, remote)
        notices.append(.entryChanged(parent: home.ino, name: remote.name))
        if isRead || !row.isDirectory {
            try post(kind, trio.item, at: path(of: home)?.appending(remote.name))
        }
        // One that a body has waited for may be open.
        if hasNamelessBodies != true { shown = trio.shown(as: row) }
        return .done
    }

    /// The directory in which something is to be shown, itself shown first where it is not; `nil`
    /// when it cannot be now.
    private mutating func home(_ directory: ItemID) throws(DocFSError) -> Home? {
        if let lastHome, lastHome.item == directory { return lastHome }
        guard let ino = try showDirectory(directory) else { return nil }
        let home = Home(item: directory, ino: ino)
        lastHome = home
        return home
    }

    private mutating func path(of home: Home) throws(DocFSError) -> ItemPath? {
        if let path = home.path { return path }
        let path = try read.path(of: home.ino, root: scope.root)
        lastHome?.path = .some(path)
        return path
    }

    private func makeRow(_ item: ItemID, _ state: ItemState, parent: Int64) -> LocalItem {
        let type: UInt32 =
            switch state.kind {
            case .file: LocalItem.typeFile
            case .directory: LocalItem.typeDirectory
            case .symlink: LocalItem.typeSymlink
            }
        var row = LocalItem(
            scope: scope.id, item: item, parent: parent, name: state.name,
            mode: type | UInt32(state.metadata.mode), owner: settings.owner,
            group: settings.group, modified: state.metadata.modified, changed: now)
        row.attributes = state.metadata.attributes
        row.conflictOf = state.conflictOf
        if row.isDirectory { row.links = 2 }
        row.fill(from: state)
        return row
    }

    /// The row of a directory that the store has, shown first where it is not, with all above it;
    /// `nil` when it cannot be now.
    mutating func showDirectory(_ item: ItemID) throws(DocFSError) -> Int64? {
        var hidden: [ItemID] = []
        var next = item
        while next != .root {
            if let row = try read.local(item: next, scope: scope.id) {
                guard row.isDirectory else { return nil }
                if next == item { return row.ino }
                break
            }
            guard hidden.count < ItemPath.maximumDepth,
                let above = try read.remoteParent(of: next, scope: scope.id)
            else { return nil }
            hidden.append(next)
            next = above
        }
        // The uppermost first: each finds its own directory there.
        for directory in hidden.reversed() {
            let trio = try trio(directory)
            guard trio.remote?.kind == .directory, try show(trio) == .done else { return nil }
            directories.append(directory)
        }
        if item == .root { return scope.root }
        guard let row = try read.local(item: item, scope: scope.id), row.isDirectory else {
            return nil
        }
        return row.ino
    }

    private func retag(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row, var base = trio.base, let remote = trio.remote else {
            return .blocked
        }
        if row.divergence == .none {
            row.rebase(onto: remote)
        } else {
            row.basis = remote.content.revision
            if row.sourceItem == trio.item, row.sourceRevision == base.content.revision {
                row.sourceRevision = remote.content.revision
            }
        }
        try write.update(row)
        base.content = remote.content
        try setBase(trio.item, base)
        return .done
    }

    private mutating func relocate(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row, let oldParent = row.parent, let remote = trio.remote,
            let parent = try showDirectory(remote.parent), claim(row)
        else { return .blocked }
        if row.isDirectory, let inside = try ancestor(of: parent, below: row.ino) {
            // The new home lies below this directory here: what was moved into it goes first.
            let other = try self.trio(inside.item)
            guard other.step == .relocate, inside.item != trio.item else { return .blocked }
            guard try relocate(other) == .done else { return .blocked }
            return try relocate(self.trio(trio.item))
        }
        switch try makeRoom(remote.name, in: parent, for: trio.item, remote) {
        case .free: break
        case .merged: return .done
        case .stuck(let outcome): return outcome
        }
        let oldName = row.name
        var old: ItemPath?
        if isRead, oldName.bytes.first != 0 { old = try read.path(of: row.ino, root: scope.root) }
        // Scratch may have come into it.
        if row.isDirectory { row.links = try read.local(row.ino)?.links ?? row.links }
        row.parent = parent
        row.name = remote.name
        row.changed = now
        try write.update(row)
        lastHome = nil
        if row.isDirectory && parent != oldParent {
            try changeLinks(of: oldParent, by: -1)
            try changeLinks(of: parent, by: 1)
        }
        if parent != oldParent { try left(oldParent) }
        var base = trio.base ?? remote
        base.parent = remote.parent
        base.name = remote.name
        try setBase(trio.item, base)
        if oldName.bytes.first != 0 {
            notices.append(.entryChanged(parent: oldParent, name: oldName))
        }
        notices.append(.entryChanged(parent: parent, name: remote.name))
        try post(.moved, trio.item, old.map { .from($0) })
        return .done
    }

    /// The first row above `ino` that lies below `directory` and is not where the store has it.
    private func ancestor(of ino: Int64, below directory: Int64) throws(DocFSError) -> LocalItem? {
        var chain: [LocalItem] = []
        var next: Int64? = ino
        while let current = next, let row = try read.local(current) {
            if row.ino == directory {
                for row in chain.reversed() where try trio(row.item).step == .relocate {
                    return row
                }
                return chain.last
            }
            chain.append(row)
            next = row.parent
        }
        return nil
    }

    private mutating func redescribe(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row, let remote = trio.remote else { return .blocked }
        var base = trio.base ?? remote
        row.describe(Planner.merge(row.metadata, base: base.metadata, remote: remote.metadata))
        if trio.base == nil { row.describe(remote.metadata) }
        if base.conflictOf != remote.conflictOf || trio.base == nil {
            row.conflictOf = remote.conflictOf
        }
        row.changed = now
        try write.update(row)
        if isRead, let old = trio.row, row.isSeenToDiffer(from: old) {
            try post(.changed, trio.item)
        }
        base.metadata = remote.metadata
        base.conflictOf = remote.conflictOf
        try setBase(trio.item, base)
        notices.append(.described(ino: row.ino))
        return .done
    }

    mutating func hide(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row, let parent = row.parent, claim(row) else { return .blocked }
        if row.isDirectory, try read.hasChildren(row.ino) { return .blocked }
        if trio.base != nil {
            let isMovedOut = records?[trio.item]?.isMovedOut == true
            try post(isMovedOut ? .left : .deleted, trio.item)
        }
        try unlink(&row, from: parent)
        try keepSoleBody(row)
        if row.isDirectory { try changeLinks(of: parent, by: -1) }
        try left(parent)
        try setBase(trio.item, nil)
        try write.removeChoice(for: trio.item, scope: scope.id)
        return .done
    }

    mutating func unlink(_ row: inout LocalItem, from parent: Int64) throws(DocFSError) {
        row.parent = nil
        row.links = 0
        try write.update(row)
        notices.append(.unlinked(parent: parent, name: row.name, ino: row.ino))
    }

    /// An entry of a directory has gone: if the directory is to go too, it waited for that.
    private mutating func left(_ directory: Int64) throws(DocFSError) {
        guard directory != scope.root, let row = try read.local(directory),
            try read.state(.remote, of: row.item, scope: scope.id) == nil
        else { return }
        directories.append(row.item)
    }

    func changeLinks(of ino: Int64, by count: Int) throws(DocFSError) {
        guard var row = try read.local(ino) else { return }
        row.links = UInt32(max(0, Int(row.links) + count))
        try write.update(row)
    }

    /// Whether anybody reads events.
    private var isRead: Bool { records != nil }

    /// - Parameters:
    ///   - detail: what the event tells beside the path that the item has now.
    ///   - byUser: it is this device's doing.
    mutating func post(
        _ kind: DocumentEvent.Kind, _ item: ItemID, _ detail: DocumentEvent.Detail? = nil,
        byUser: Bool = false
    ) throws(DocFSError) {
        let row = try read.local(item: item, scope: scope.id)
        var path: ItemPath?
        if let row { path = try read.path(of: row.ino, root: scope.root) }
        try post(kind, item, at: path, detail, byUser: byUser)
    }

    private mutating func post(
        _ kind: DocumentEvent.Kind, _ item: ItemID, at path: ItemPath?,
        _ detail: DocumentEvent.Detail? = nil, byUser: Bool = false
    ) throws(DocFSError) {
        events.append(
            DocumentEvent(
                kind: kind, scope: scope.id, item: item, path: path, time: now,
                by: byUser ? .here : try author(of: kind, item), detail: detail))
    }

    /// Which other device did it; `nil` where that is not known, or a program did it in the store.
    private func author(of kind: DocumentEvent.Kind, _ item: ItemID) throws(DocFSError)
        -> DocumentEvent.Author?
    {
        guard let records else { return nil }
        if let device = records[item]?.device { return .device(device) }
        // It may have been fetched first, also before this start.
        guard kind == .changed || kind == .arrived,
            let saver = try read.saver(of: item, scope: scope.id),
            saver.device != settings.deviceName
        else { return nil }
        return .device(saver.device)
    }

    /// What was written here goes on beside the document.
    ///
    /// - Parameter ino: the row of the conflict version; it may be gone already.
    mutating func post(conflictOf document: ItemID, with ino: Int64) throws(DocFSError) {
        guard let row = try read.local(ino), row.parent != nil else {
            return try post(.conflict, document, byUser: true)
        }
        told[row.item] = document
        let path = try read.path(of: ino, root: scope.root)
        try post(.conflict, document, path.map { .sibling($0) }, byUser: true)
    }
}

extension LocalItem {
    /// Whether its description is another one, but for the time of a directory.
    fileprivate func isSeenToDiffer(from old: LocalItem) -> Bool {
        var (new, before) = (metadata, old.metadata)
        if isDirectory { (new.modified, before.modified) = (.zero, .zero) }
        return new != before
    }
}
