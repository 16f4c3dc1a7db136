/// Applies change records to the remote tree, within one transaction: the same records give the
/// same tree on every device.
struct LogApplier {
    let write: CatalogWriter
    let scope: ScopeRecord
    /// The store moves objects with their items: none ever lodges elsewhere.
    let objectsMove: Bool

    /// Applies the change if its precondition holds.
    ///
    /// - Returns: why it is void, in words; `nil` when it counted.
    func apply(_ change: Change, from record: LogRecord) throws(DocFSError) -> String? {
        let read = write.read
        let view = RemoteTreeView(read: read, scope: scope.id)
        if let objection = try change.objection(in: view) {
            try keepRemoved(change, record)
            return objection
        }
        if let before = try view.state(of: change.item) {
            try keep(before, change, record)
            try follow(before.content, change)
        } else {
            // A document that came back is in the trash no longer.
            for trash in try read.trash(of: change.item, scope: scope.id) {
                try write.removeTrash(trash, scope: scope.id)
                try keep(trash, change, record)
            }
        }
        let objects = objectsMove ? [] : try objects(of: change)
        try write.setState(.remote, of: change.item, scope: scope.id, to: change.after)
        try write.markPending(change.item, scope: scope.id)
        if !objectsMove { try lodge(change, objects) }
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

    /// Where the objects lie whose paths a change may change: the item's own, and those of all
    /// below a directory.
    private func objects(of change: Change)
        throws(DocFSError) -> [(item: ItemID, place: ItemPath)]
    {
        let read = write.read
        guard let path = try read.remotePath(of: change.item, scope: scope.id) else { return [] }
        var objects = [
            (change.item, try read.lodging(of: change.item, scope: scope.id) ?? path)
        ]
        guard let after = change.after, after.kind == .directory,
            after.parent != change.before?.parent || after.name != change.before?.name
        else { return objects }
        var directories = [(change.item, path)]
        while let (directory, path) = directories.popLast() {
            for item in try read.remoteChildren(of: directory, scope: scope.id) {
                guard let state = try read.state(.remote, of: item, scope: scope.id) else {
                    continue
                }
                let own = path.appending(state.name)
                objects.append((item, try read.lodging(of: item, scope: scope.id) ?? own))
                if state.kind == .directory { directories.append((item, own)) }
            }
        }
        return objects
    }

    /// Remembers where objects lie from now on, and what the item's has left behind.
    ///
    /// - Parameter objects: where they were, the item's own first if it was there.
    private func lodge(_ change: Change, _ objects: [(item: ItemID, place: ItemPath)])
        throws(DocFSError)
    {
        guard change.after != nil else {
            return try write.setLodging(of: change.item, scope: scope.id, to: nil)
        }
        let former = objects.first?.place
        if let place = change.object ?? former {
            try lodge(change.item, at: place)
            try write.removeLeftover(at: place, scope: scope.id)
            if let former, former != place {
                try write.addLeftover(
                    Leftover(place: former, revision: change.before?.revision), scope: scope.id)
            }
        }
        for (item, place) in objects.dropFirst() {
            try lodge(item, at: place)
            try write.markPending(item, scope: scope.id)
        }
    }

    private func lodge(_ item: ItemID, at place: ItemPath) throws(DocFSError) {
        let path = try write.read.remotePath(of: item, scope: scope.id)
        try write.setLodging(of: item, scope: scope.id, to: place == path ? nil : place)
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

    private func markIfAbsent(_ directory: ItemID) throws(DocFSError) {
        let local = try write.read.local(item: directory, scope: scope.id)
        let remote = try write.read.state(.remote, of: directory, scope: scope.id)
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
            recorded: trash.recorded)
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
                    content: before.content, recorded: record.time), scope: scope.id)
        } else if let kept = change.kept, case .file(let body) = before.content {
            try addVersion(
                of: change.item, body, before.metadata, at: kept, record, recorded: record.time)
        }
    }

    private func addVersion(
        of item: ItemID, _ body: Body, _ metadata: Metadata, at place: ItemPath,
        _ record: LogRecord, recorded: Int64
    ) throws(DocFSError) {
        try write.addVersion(
            VersionRecord(
                item: item, revision: body.revision, path: place, size: body.size,
                digest: body.digest, modified: metadata.modified, device: record.deviceName,
                recorded: recorded), scope: scope.id)
    }

    /// A removal that is void has moved a body to the trash all the same: who was to be made of
    /// that body is to find it.
    private func keepRemoved(_ change: Change, _ record: LogRecord) throws(DocFSError) {
        guard let removed = change.removed, let place = change.kept,
            let path = ContainerLayout.path(ofTrash: place)
        else { return }
        if try write.read.state(.remote, of: change.item, scope: scope.id) != nil {
            // In the trash of what is there nobody would ever look.
            guard case .file(let body) = removed.content else { return }
            return try addVersion(
                of: change.item, body, removed.metadata, at: place, record,
                recorded: record.time)
        }
        try write.addTrash(
            TrashRecord(
                operation: change.operation, item: change.item, path: path, place: place,
                metadata: removed.metadata, content: removed.content, recorded: record.time),
            scope: scope.id)
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
        case .bringHome: base.content = after.content
        case .describe:
            base.metadata = after.metadata
            base.conflictOf = after.conflictOf
            base.content = after.content
        case .remove: break
        }
        try write.setState(.base, of: item, scope: scope.id, to: base)
        guard let old = try write.read.local(item: item, scope: scope.id) else { return }
        var row = old
        row.error = nil
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
}
