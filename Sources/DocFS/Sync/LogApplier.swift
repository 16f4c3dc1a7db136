/// Applies the changes of one record to the remote tree, within one transaction: the same records
/// give the same tree on every device.
///
/// However often a record moves a directory, or those above it, what is below is looked at once.
struct LogApplier {
    let write: CatalogWriter
    let scope: ScopeRecord
    /// The store moves objects with their items: none ever lodges elsewhere.
    let objectsMove: Bool
    /// Who applies it.
    let device: DeviceID
    /// Where the objects lie of what the record changes, and of what is below the directories that
    /// it moves: remembered in the end, when it is known where all of it belongs.
    private var places: [ItemID: ItemPath] = [:]
    /// Directories that are here and in the store, or pending.
    private var considered: Set<ItemID> = []
    /// Directories whose entries are all among ``places``, or changes of this record.
    private var walked: Set<ItemID> = []
    /// How many entries of directories that move were looked at.
    private(set) var looks = 0
    private let view: RemoteTreeView
    /// Whether this device may have bodies to put back; `nil` until somebody asks.
    private var hasSoleBody: Bool?

    init(write: CatalogWriter, scope: ScopeRecord, objectsMove: Bool, device: DeviceID) {
        self.write = write
        view = RemoteTreeView(read: write.read, scope: scope.id)
        self.scope = scope
        self.objectsMove = objectsMove
        self.device = device
    }

    /// Applies the change if its precondition holds.
    ///
    /// - Returns: why it is void, in words; `nil` when it counted.
    mutating func apply(_ change: Change, from record: LogRecord) throws(DocFSError) -> String? {
        if let objection = try change.objection(in: view) {
            try keepRemoved(change, record)
            return objection
        }
        let before = try view.state(of: change.item)
        try forgetSoleBody(change)
        if let before {
            try keep(before, change, record)
            try noteSoleBody(before, change, record)
            try follow(before.content, change)
        } else {
            // A document that came back is in the trash no longer.
            for trash in try write.read.trash(of: change.item, scope: scope.id) {
                try write.removeTrash(trash, scope: scope.id)
                try keep(trash, change, record)
            }
        }
        let former = objectsMove ? nil : try place(before: change)
        try write.setState(.remote, of: change.item, scope: scope.id, to: change.after)
        view.forget(change.item)
        if change.after == nil { considered.remove(change.item) }
        try noteSaver(change, before?.content, record)
        try write.markPending(change.item, scope: scope.id)
        if !objectsMove { try lodge(change, former) }
        if let after = change.after, after.parent != .root {
            // A directory whose delete is planned here has to be looked at again.
            try markIfAbsent(after.parent)
        }
        if let parent = change.before?.parent, parent != change.after?.parent, parent != .root {
            // Its last child may have left it.
            try markIfAbsent(parent)
        }
        return nil
    }

    /// Where the object of a change's item lies before it; `nil` when there is no such item.
    ///
    /// Of a directory that moves, it is noted where all lies that is below.
    private mutating func place(before change: Change) throws(DocFSError) -> ItemPath? {
        guard let path = try write.read.remotePath(of: change.item, scope: scope.id) else {
            return nil
        }
        let place = try place(of: change.item, at: path)
        if let after = change.after, after.kind == .directory,
            after.parent != change.before?.parent || after.name != change.before?.name
        {
            try notePlaces(below: change.item, at: path)
        }
        return place
    }

    private func place(of item: ItemID, at path: ItemPath) throws(DocFSError) -> ItemPath {
        if let place = places[item] { return place }
        return try write.read.lodging(of: item, scope: scope.id) ?? path
    }

    private mutating func notePlaces(below directory: ItemID, at path: ItemPath)
        throws(DocFSError)
    {
        let read = write.read
        guard walked.insert(directory).inserted else { return }
        var directories = [(directory, path)]
        while let (directory, path) = directories.popLast() {
            for item in try read.remoteChildren(of: directory, scope: scope.id) {
                guard let state = try read.state(.remote, of: item, scope: scope.id) else {
                    continue
                }
                looks += 1
                let own = path.appending(state.name)
                places[item] = try place(of: item, at: own)
                guard state.kind == .directory, walked.insert(item).inserted else { continue }
                directories.append((item, own))
            }
        }
    }

    /// Remembers where the item's object lies from now on, and what it has left behind.
    ///
    /// - Parameter former: where it was.
    private mutating func lodge(_ change: Change, _ former: ItemPath?) throws(DocFSError) {
        guard change.after != nil else {
            places[change.item] = nil
            return try write.setLodging(of: change.item, scope: scope.id, to: nil)
        }
        let named = change.object ?? former
        let isNew = change.before == nil && former == nil && walked.isEmpty
        var path: ItemPath?
        if named == nil || isNew {
            path = try write.read.remotePath(of: change.item, scope: scope.id)
        }
        // What nobody names lies where it belongs. What is new there, before any directory moves,
        // lodges nowhere: if its own moves later, where it lies is noted then.
        if isNew, named == nil || named == path {
            try write.setLodging(of: change.item, scope: scope.id, to: nil)
        } else {
            places[change.item] = named ?? path
        }
        guard let place = named else { return }
        try write.removeLeftover(at: place, scope: scope.id)
        if let former, former != place, !Self.isMoveInStore(change) {
            try write.addLeftover(
                Leftover(place: former, revision: change.before?.revision), scope: scope.id)
        }
    }

    /// Whether another program has moved the object: what lies at its former path since then is
    /// no leftover, and may be the object itself, moved back.
    ///
    /// Only bringing an object home, which copies it and keeps its body, leaves one behind.
    private static func isMoveInStore(_ change: Change) -> Bool {
        change.before != nil && change.object != nil && !change.keepsBody
    }

    /// The record has no more changes.
    mutating func finish() throws(DocFSError) {
        for (item, place) in places.sorted(by: { $0.key < $1.key }) {
            let path = try write.read.remotePath(of: item, scope: scope.id)
            try write.setLodging(of: item, scope: scope.id, to: place == path ? nil : place)
            try write.markPending(item, scope: scope.id)
        }
        places.removeAll()
        walked.removeAll()
    }

    /// A change of the description or the place may give the same bytes another revision.
    private func follow(_ before: ItemContent, _ change: Change) throws(DocFSError) {
        guard case .file(let old) = before, case .file(let new)? = change.after?.content,
            change.keepsBody || (old.digest != nil && new.digest == old.digest),
            new.revision != old.revision
        else { return }
        try write.followSource(
            change.item, scope: scope.id, from: old.revision, to: new.revision)
    }

    /// Whoever brings other bytes has saved them, and not who moves or describes them.
    private func noteSaver(_ change: Change, _ before: ItemContent?, _ record: LogRecord)
        throws(DocFSError)
    {
        guard let after = change.after?.content, after != .directory else { return }
        if let before {
            let isSame = before.revision == after.revision || before.holdsSameBytes(as: after)
            if change.keepsBody || isSame { return }
        }
        try write.setSaver(
            of: change.item, scope: scope.id,
            to: Saver(device: record.deviceName, time: record.time))
    }

    private mutating func markIfAbsent(_ directory: ItemID) throws(DocFSError) {
        guard considered.insert(directory).inserted else { return }
        let local = try write.read.local(item: directory, scope: scope.id)
        let remote = try view.state(of: directory)
        if local == nil || remote == nil {
            try write.markPending(directory, scope: scope.id)
        }
    }

    /// What a document was when it went to the trash is a version of what came back, unless that is
    /// the same.
    private func keep(_ trash: TrashRecord, _ change: Change, _ record: LogRecord)
        throws(DocFSError)
    {
        guard case .file(let old) = trash.content, case .file(let new)? = change.after?.content,
            old.revision != new.revision, old.digest == nil || old.digest != new.digest
        else { return }
        try addVersion(
            of: change.item, old, trash.metadata, at: trash.place, record,
            recorded: trash.recorded, ownership: trash.ownership)
    }

    /// Remembers where the container keeps what the change replaces or removes.
    private func keep(_ before: ItemState, _ change: Change, _ record: LogRecord)
        throws(DocFSError)
    {
        if change.after == nil {
            guard let path = try write.read.remotePath(of: change.item, scope: scope.id),
                change.kept != nil || before.kind == .directory
            else { return }
            try write.addTrash(
                TrashRecord(
                    operation: change.operation, item: change.item, path: path,
                    place: change.kept ?? .root, metadata: before.metadata,
                    content: before.content, recorded: record.time,
                    ownership: try ownership(before, change),
                    directory: before.parent), scope: scope.id)
        } else if let kept = change.kept, case .file(let body) = before.content {
            try addVersion(
                of: change.item, body, before.metadata, at: kept, record, recorded: record.time,
                ownership: try ownership(before, change),
                saver: try write.read.saver(of: change.item, scope: scope.id))
        }
    }

    /// Another program has taken a body out of the container that is here.
    private mutating func noteSoleBody(_ before: ItemState, _ change: Change, _ record: LogRecord)
        throws(DocFSError)
    {
        guard
            PutBack.isNeeded(
                before.content, after: change.after?.content, isKept: change.kept != nil,
                keepsBody: change.keepsBody, isMovedOut: change.isMovedOut),
            let revision = before.content.revision,
            let row = try write.read.local(item: change.item, scope: scope.id), row.isFile,
            row.state == .current, row.divergence == .none, row.sourceRevision == revision,
            let path = try write.read.remotePath(of: change.item, scope: scope.id)
        else { return }
        try write.addSoleBody(
            SoleBody(
                item: change.item, revision: revision, path: path, directory: before.parent,
                isFoundHere: record.device == device), scope: scope.id)
        hasSoleBody = true
    }

    /// Whose an item was on this device when it was `state`.
    private func ownership(_ state: ItemState, _ change: Change) throws(DocFSError) -> Ownership? {
        try write.read.ownership(
            of: change.item, revision: state.content.revision, scope: scope.id)
    }

    private func addVersion(
        of item: ItemID, _ body: Body, _ metadata: Metadata, at place: ItemPath,
        _ record: LogRecord, recorded: Int64, ownership: Ownership?, saver: Saver? = nil
    ) throws(DocFSError) {
        try write.addVersion(
            VersionRecord(
                item: item, revision: body.revision, path: place, size: body.size,
                digest: body.digest, modified: metadata.modified, device: record.deviceName,
                recorded: recorded, mode: metadata.mode, ownership: ownership, saver: saver),
            scope: scope.id)
        // The user has removed what was there before.
        try write.removeUnwanted(place, scope: scope.id)
    }

    /// A removal that is void has moved a body to the trash all the same: who was to be made of
    /// that body is to find it.
    private func keepRemoved(_ change: Change, _ record: LogRecord) throws(DocFSError) {
        guard let removed = change.removed, let place = change.kept,
            let path = ContainerLayout.path(ofTrash: place)
        else { return }
        try releaseSoleBody(of: change.item, keptAs: removed.content)
        if try write.read.state(.remote, of: change.item, scope: scope.id) != nil {
            // In the trash of what is there nobody would ever look.
            guard case .file(let body) = removed.content else { return }
            return try addVersion(
                of: change.item, body, removed.metadata, at: place, record,
                recorded: record.time, ownership: try ownership(removed, change))
        }
        try write.addTrash(
            TrashRecord(
                operation: change.operation, item: change.item, path: path, place: place,
                metadata: removed.metadata, content: removed.content, recorded: record.time,
                ownership: try ownership(removed, change),
                directory: removed.parent),
            scope: scope.id)
    }

    /// The container keeps a body that this device would have put back, whether it still has its
    /// name here or not.
    private func releaseSoleBody(of item: ItemID, keptAs content: ItemContent)
        throws(DocFSError)
    {
        guard let body = content.body else { return }
        let rows = [
            try write.read.local(item: item, scope: scope.id),
            try write.read.namelessRow(.sole, of: item, scope: scope.id),
        ]
        for row in rows {
            guard let row, let revision = row.sourceRevision, row.size == body.size,
                row.sourceDigest == nil || row.sourceDigest == body.digest
            else { continue }
            try write.removeSoleBody(item, at: revision, scope: scope.id)
            try write.markPending(item, scope: scope.id)
        }
    }

    /// A body is in the container again, or kept there.
    private mutating func forgetSoleBody(_ change: Change) throws(DocFSError) {
        if hasSoleBody == nil { hasSoleBody = try write.read.hasSoleBody(scope: scope.id) }
        guard hasSoleBody == true else { return }
        let kept = change.kept == nil ? nil : change.before?.revision
        for case let revision? in [kept, change.after?.content.revision] {
            try write.removeSoleBody(change.item, at: revision, scope: scope.id)
        }
    }

    /// Takes over into the base and the row what an effect of this device has achieved.
    ///
    /// Facets that the effect did not touch stay as they were, so that what others changed
    /// meanwhile is still seen as theirs.
    ///
    /// - Parameter sent: what was sent, when a body was.
    func acknowledge(_ change: Change, verb: Effect.Verb, sent: SentBody?) throws(DocFSError) {
        let item = change.item
        guard let after = change.after else {
            try write.setState(.base, of: item, scope: scope.id, to: nil)
            return try write.removeHandover(of: item, scope: scope.id)
        }
        let earlier = try write.read.state(.base, of: item, scope: scope.id)
        var base = earlier ?? after
        switch verb {
        case .create: base = after
        case .replace:
            base.content = after.content
            base.metadata = after.metadata
            base.conflictOf = after.conflictOf
        case .move:
            base.parent = after.parent
            base.name = after.name
        case .bringHome:
            // Newer bytes that nobody has seen here yet are not seen by that.
            if base.content.revision == change.before?.revision { base.content = after.content }
        case .describe:
            base.metadata = after.metadata
            base.conflictOf = after.conflictOf
            base.content = after.content
        case .remove: break
        }
        try write.setState(.base, of: item, scope: scope.id, to: base)
        guard let old = try write.read.local(item: item, scope: scope.id) else { return }
        var row = old
        // What is missing of it stays missing, wherever the rest is.
        if row.error != LocalApplier.remnantSentence { row.error = nil }
        let newRevision = after.content.revision
        let isBase = row.basis == change.before?.revision
        switch verb {
        case .create, .replace:
            if let sent, sent.ino == row.ino, sent.generation == row.generation || !row.isFile {
                row.rebase(onto: after)
            } else if row.divergence == .none {
                // What was sent is not here any more, but what the store had before: a loss of
                // power took it. It is fetched like an edit of another device.
                if row.metadata == earlier?.metadata { row.describe(after.metadata) }
            } else if isBase {
                // Whatever was saved here since was made from what has just been sent.
                row.basis = newRevision
            }
        case .describe, .move, .bringHome:
            if isBase { row.basis = newRevision }
            if row.divergence == .none, row.basis == newRevision {
                row.rebase(onto: after)
            }
        case .remove: break
        }
        try write.update(row, from: old)
    }

    /// Takes over into the base what an effect of this device has moved or described, where another
    /// one was quicker to record it: that is no change of theirs, and what was renamed or set here
    /// since counts.
    static func acknowledge(dropped effect: FinishedEffect, _ scope: Int64, _ write: CatalogWriter)
        throws(DocFSError)
    {
        let item = effect.change.item
        guard let after = effect.change.after,
            let remote = try write.read.state(.remote, of: item, scope: scope),
            var base = try write.read.state(.base, of: item, scope: scope)
        else { return }
        switch effect.verb {
        case .move where remote.parent == after.parent && remote.name == after.name:
            (base.parent, base.name) = (after.parent, after.name)
        case .describe:
            let (theirs, ours) = (remote.metadata, after.metadata)
            if theirs.mode == ours.mode { base.metadata.mode = ours.mode }
            if theirs.modified == ours.modified { base.metadata.modified = ours.modified }
            if theirs.attributes == ours.attributes { base.metadata.attributes = ours.attributes }
        default: return
        }
        try write.setState(.base, of: item, scope: scope, to: base)
    }
}
