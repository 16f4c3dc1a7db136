/// A newer body takes the place of the one here (S9): at once as a placeholder, or when it is here.
extension LocalApplier {
    /// The new body comes under a new inode; who has the old one open keeps it.
    mutating func refresh(_ trio: Trio) throws(DocFSError) -> Outcome {
        guard var row = trio.row, let parent = row.parent, let remote = trio.remote, claim(row)
        else { return .blocked }
        var base = trio.base ?? remote
        var fresh = row
        fresh.fill(from: remote)
        fresh.describe(
            Planner.merge(row.metadata, base: base.metadata, remote: remote.metadata))
        base.metadata = remote.metadata
        fresh.changed = now
        fresh.place = .state
        fresh.generation = 0
        let used = row.state == .current ? replica.lastUse(of: row) : .zero
        try retire(&row, from: parent)
        let ino = try insert(fresh, used: used)
        if try mayHaveBodies() { try endRun(of: trio.item) }
        base.content = remote.content
        try setBase(trio.item, base)
        notices.append(
            .replaced(
                item: trio.item, basis: row.basis ?? Revision(""),
                shown: remote.content.revision, by: ino))
        notices.append(.entryChanged(parent: parent, name: row.name))
        try post(.changed, trio.item)
        return .done
    }

    /// Adds the row that shows a placeholder; where its body is here already, or on its way, that
    /// row gets the name.
    ///
    /// - Parameter used: when a program had the document open last; zero where nobody knows.
    /// - Returns: its number.
    mutating func insert(_ placeholder: LocalItem, used: Timestamp = .zero) throws(DocFSError)
        -> Int64
    {
        guard try mayHaveBodies(),
            let body = try read.namelessRow(.newer, of: placeholder.item, scope: scope.id),
            body.sourceRevision == placeholder.sourceRevision
        else { return try write.insert(placeholder) }
        var row = placeholder
        (row.ino, row.state, row.place) = (body.ino, body.state, body.place)
        try write.removeNamelessBody(body.ino)
        try write.update(row)
        notices.append(.shown(ino: body.ino, used: used))
        return body.ino
    }

    /// A newer body is shown: those before it that gave way count no more.
    private func endRun(of item: ItemID) throws(DocFSError) {
        var fetches = try read.newerFetches(of: item, scope: scope.id)
        guard fetches.superseded > 0 else { return }
        fetches.superseded = 0
        try write.setNewerFetches(of: item, scope: scope.id, to: fetches)
    }

    /// Takes the name off a row that gives way to a newer body.
    ///
    /// Its own stays on the disk, as long as there is room, where the container keeps it as an
    /// earlier version.
    private mutating func retire(_ row: inout LocalItem, from parent: Int64) throws(DocFSError) {
        try unlink(&row, from: parent)
        guard row.isFile, row.state == .current, row.size > 0, row.divergence == .none,
            let revision = row.sourceRevision,
            try read.version(of: row.item, revision: revision, scope: scope.id) != nil
        else { return try keepSoleBody(row) }
        for body in try read.namelessBodies(of: row.item, scope: scope.id)
        where body.role == .earlier {
            try drop(body)
        }
        try keep(row, as: .earlier)
    }

    /// A body that another program took out of the container stays, without a name, until it is put
    /// back; of one document only the latest.
    mutating func keepSoleBody(_ row: LocalItem) throws(DocFSError) {
        guard row.isFile, let revision = row.sourceRevision,
            let body = try read.soleBody(of: row.item, at: revision, scope: scope.id)
        else { return }
        guard
            PutBack.takesOver(
                row.state, isEdited: row.divergence != .none, isReadOnly: !keepsSoleBodies)
        else { return try write.removeSoleBody(row.item, at: revision, scope: scope.id) }
        for body in try read.namelessBodies(of: row.item, scope: scope.id)
        where body.role == .sole {
            try drop(body)
        }
        try keep(row, as: .sole)
        soleBodies.append(body)
    }

    /// - Parameter row: one that has lost its name.
    private mutating func keep(_ row: LocalItem, as role: NamelessBody.Role) throws(DocFSError) {
        var row = row
        row.pin = .inherited
        row.conflictOf = nil
        row.error = nil
        try write.update(row)
        try add(NamelessBody(ino: row.ino, scope: scope.id, item: row.item, role: role))
    }

    /// The store's body is brought to a row without a name, unless that is under way.
    mutating func fetch(_ trio: Trio) throws(DocFSError) {
        guard let row = trio.row, let remote = trio.remote else { return }
        try dropBodies(of: trio, but: .newer)
        let known = try read.namelessRow(.newer, of: trio.item, scope: scope.id)
        if let known, known.sourceRevision == remote.content.revision {
            // One that could not be had is tried again later each time, whoever plans.
            if known.error == nil { notices.append(.newerWanted(ino: known.ino)) }
            return
        }
        var fetches = try read.newerFetches(of: trio.item, scope: scope.id)
        let used = replica.lastUse(of: row)
        if fetches.used != used { fetches.count = 0 }
        fetches.used = used
        fetches.count += 1
        if let known {
            fetches.superseded = Trio.isSuperseded(known) ? fetches.superseded + 1 : 0
            try write.removeNamelessBody(known.ino)
            notices.append(.dropped(ino: known.ino))
        }
        try write.setNewerFetches(of: trio.item, scope: scope.id, to: fetches)
        var fresh = row
        fresh.fill(from: remote)
        (fresh.parent, fresh.links, fresh.pin, fresh.conflictOf) = (nil, 0, .inherited, nil)
        (fresh.place, fresh.generation, fresh.isUnflushed) = (.state, 0, false)
        let ino = try write.insert(fresh)
        try add(
            NamelessBody(ino: ino, scope: scope.id, item: trio.item, role: .newer))
        notices.append(.newerWanted(ino: ino))
    }

    /// The bodies of an item that are worth nothing any more are dropped.
    ///
    /// - Parameter role: which one is still awaited.
    mutating func dropBodies(of trio: Trio, but role: NamelessBody.Role? = nil) throws(DocFSError) {
        guard try mayHaveBodies() else { return }
        let bodies = try read.namelessBodies(of: trio.item, scope: scope.id)
        for body in bodies where body.role != role {
            if body.role == .earlier, trio.row != nil, try isKept(body) { continue }
            if body.role == .sole, try isStillSole(body) { continue }
            try drop(body)
        }
        if trio.row == nil { try write.removeNewerFetches(of: trio.item, scope: scope.id) }
    }

    /// Asked once for all items that are planned together, few of which have such a body.
    private mutating func mayHaveBodies() throws(DocFSError) -> Bool {
        if let hasNamelessBodies { return hasNamelessBodies }
        let has = try read.hasNamelessBodies(scope: scope.id)
        hasNamelessBodies = has
        return has
    }

    private mutating func add(_ body: NamelessBody) throws(DocFSError) {
        try write.addNamelessBody(body)
        hasNamelessBodies = true
    }

    /// Whether the container keeps it as an earlier version.
    private func isKept(_ body: NamelessBody) throws(DocFSError) -> Bool {
        // Whoever still had it open may have written into it.
        guard let row = try read.local(body.ino), row.divergence == .none, row.state == .current,
            let revision = row.sourceRevision,
            let version = try read.version(of: body.item, revision: revision, scope: scope.id)
        else { return false }
        return try !read.isUnwanted(version.path, scope: scope.id)
    }

    /// Whether the container still keeps it nowhere.
    private func isStillSole(_ body: NamelessBody) throws(DocFSError) -> Bool {
        // Whoever still had it open may have written into it.
        guard let row = try read.local(body.ino), row.divergence == .none, row.state == .current,
            let revision = row.sourceRevision
        else { return false }
        return try read.soleBody(of: body.item, at: revision, scope: scope.id) != nil
    }

    private mutating func drop(_ body: NamelessBody) throws(DocFSError) {
        try write.removeNamelessBody(body.ino)
        notices.append(.dropped(ino: body.ino))
    }
}
