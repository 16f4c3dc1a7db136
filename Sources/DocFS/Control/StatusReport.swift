/// How all cloud scopes are doing, at one moment: what `status` and `status.json` say.
struct StatusReport: Sendable {
    struct Failure: Sendable {
        var path: ItemPath
        var sentence: String
    }

    struct Scope: Sendable {
        var name: String
        /// Where its store is.
        var store: String
        var health: ScopeHealth
        var counts: ScopeCounts
        var sending: TransferProgress
        var receiving: TransferProgress
        /// Paths of what the store does not have yet; some of them, where there are many.
        var waiting: [ItemPath]
        /// Paths of documents that wait since programs keep them open for writing; some of them,
        /// where there are many.
        var openEdits: [ItemPath]
        /// Open documents of which another device has saved a version since.
        var outdated: OutdatedDocuments
        /// Those of ``health``, and the first of ``ScopeCounts/failures``.
        var failures: [Failure]

        /// How many there are.
        var failureCount: Int { health.failedDeleteCount + counts.failures }

        /// How many edits and moves the store does not have yet.
        var left: Int {
            max(counts.pending - outdated.unedited, counts.journal, health.uploading)
        }
    }

    /// How many failures are told one by one.
    private static let failureLimit = 1000

    private static let noContainer =
        "no container is configured: all documents stay on this computer; docfs-mount --cloud or "
        + "the table [cloud] of docfs.toml names one"
    private static let lone =
        "it is on this computer's own disk, and no other device has ever written there: that is no "
        + "second copy, unless another program makes one"

    let mountPoint: String
    private let state: String
    let scopes: [Scope]
    /// What the user is to know about this device.
    private let notes: [String]
    private let types: [DocumentType]

    init(
        settings: ControlSettings, scopes: [ScopeRecord], catalog: Catalog,
        documents: any DocumentControl
    ) throws(DocFSError) {
        mountPoint = settings.mountPoint
        state = settings.state
        types = settings.types
        notes = catalog.bulletin.notes + (scopes.isEmpty ? [Self.noContainer] : [])
        // Before the catalog: what is done meanwhile is still pending there.
        let health = scopes.map { catalog.bulletin.health(of: $0.id) }
        let open = documents.openForWriting
        self.scopes = try catalog.readConsistently { (read) throws(DocFSError) in
            var found: [Scope] = []
            for ((scope, store), health) in zip(zip(scopes, settings.stores), health) {
                found.append(
                    Scope(
                        name: scope.name, store: store, health: health,
                        counts: try read.counts(scope: scope.id),
                        sending: documents.sending(scope: scope.id),
                        receiving: documents.receiving(scope: scope.id),
                        waiting: try Self.waiting(in: scope, read),
                        openEdits: try Self.openEdits(among: open, of: scope, in: read),
                        outdated: try OutdatedDocuments(
                            in: scope, health, open: Set(open), read),
                        failures: Self.failures(of: health)
                            + (try Self.failures(of: scope, in: read))))
            }
            return found
        }
    }

    /// Of how many items it is found out whether they wait, and how many are told.
    private static let lookLimit = 100
    private static let waitingLimit = 10

    private static func waiting(in scope: ScopeRecord, _ read: CatalogReader)
        throws(DocFSError) -> [ItemPath]
    {
        var paths: [ItemPath] = []
        for item in try read.pending(scope: scope.id, limit: lookLimit) {
            guard let row = try read.local(item: item, scope: scope.id), !row.isExcluded,
                try read.isAhead(row), let path = try read.path(of: row.ino, root: scope.root)
            else { continue }
            paths.append(path)
            if paths.count == waitingLimit { break }
        }
        return paths.sorted()
    }

    /// How many documents are told that are open.
    private static let openLimit = 100

    private static func openEdits(
        among open: [Int64], of scope: ScopeRecord, in read: CatalogReader
    ) throws(DocFSError) -> [ItemPath] {
        var paths: [ItemPath] = []
        for ino in open where paths.count < openLimit {
            guard let row = try read.local(ino), row.scope == scope.id, row.divergence != .none,
                !row.isExcluded, let path = try read.path(of: ino, root: scope.root)
            else { continue }
            let standIn = try read.standIn(for: row.item, scope: scope.id)
            if standIn == nil || standIn?.generation != row.generation { paths.append(path) }
        }
        return paths.sorted()
    }

    private static func failures(of health: ScopeHealth) -> [Failure] {
        health.failedDeletes.sorted { $0.key < $1.key }.map {
            Failure(path: $0.key, sentence: $0.value)
        }
    }

    private static func failures(of scope: ScopeRecord, in read: CatalogReader)
        throws(DocFSError) -> [Failure]
    {
        var failures: [Failure] = []
        for row in try read.failures(scope: scope.id, limit: failureLimit) {
            guard let path = try read.path(of: row.ino, root: scope.root) else { continue }
            failures.append(Failure(path: path, sentence: row.error ?? ""))
        }
        return failures
    }

    // MARK: For programs

    /// One JSON object and a line feed.
    var json: String {
        JSONText.object([
            "version": "1", "mount": JSONText.string(mountPoint),
            "scopes": JSONText.array(scopes.map(json)),
            "types": JSONText.array(types.map(Self.json)),
            "notes": JSONText.array(notes.map { JSONText.string($0) }),
        ]) + "\n"
    }

    private static func json(_ type: DocumentType) -> String {
        JSONText.object([
            "type": JSONText.string(type.key),
            "extension": JSONText.string(type.ending),
            "name": JSONText.string(type.title),
            "naming": JSONText.string(type.naming.rawValue),
            "conflicts": JSONText.string(type.conflicts.rawValue),
            "mime": JSONText.string(type.mime),
        ])
    }

    private func json(_ scope: Scope) -> String {
        JSONText.object([
            "name": JSONText.string(scope.name),
            "store": JSONText.string(scope.store),
            "online": "\(scope.health.isOnline)",
            "error": JSONText.string(scope.health.problem),
            "advice": JSONText.string(advice(for: scope)),
            "log": JSONText.string(scope.health.logTrouble?.rawValue),
            "mending": "\(scope.health.isRepairing)",
            "mended": JSONText.string(scope.health.mended),
            "guarantee": JSONText.string(scope.health.guarantee),
            "readOnly": "\(scope.health.isReadOnly)",
            "alone": JSONText.string(scope.health.isLone ? Self.lone : nil),
            "unseen": JSONText.string(scope.health.unseen),
            "documents": "\(scope.counts.documents)",
            "pending": "\(scope.counts.pending)",
            "journal": "\(scope.counts.journal)",
            "uploading": "\(scope.health.uploading)",
            "downloading": "\(scope.health.downloading)",
            "sending": Self.json(scope.sending),
            "receiving": Self.json(scope.receiving),
            "conflicts": "\(scope.counts.conflicts)",
            "excluded": "\(scope.counts.excluded)",
            "leavingVersions": "\(scope.counts.leavingVersions)",
            "failures": JSONText.array(scope.failures.map(Self.json)),
            "heldDeletes": "\(scope.health.heldDeletes)",
            "setAside": JSONText.array(scope.health.setAside.map { JSONText.string($0) }),
            "leftOut": JSONText.array(scope.health.leftOut.map { JSONText.string($0) }),
            "unlisted": JSONText.array(Self.unlisted(scope.health).map { JSONText.string($0) }),
            "waiting": JSONText.array(
                scope.waiting.map { JSONText.string(PathText.plain($0)) }),
            "open": JSONText.array(
                scope.openEdits.map { JSONText.string(PathText.plain($0)) }),
            "updatesWaiting": "\(scope.outdated.unedited)",
            "outdated": JSONText.array(scope.outdated.shown.map(Self.json)),
        ])
    }

    /// A line for each directory of the store that cannot be listed.
    private static func unlisted(_ health: ScopeHealth) -> [String] {
        health.unlisted.sorted { $0.key < $1.key }.map { ShownText.line("\($0.key): \($0.value)") }
    }

    private static func json(_ progress: TransferProgress) -> String {
        JSONText.object([
            "done": "\(progress.done)", "total": "\(progress.total)", "rate": "\(progress.rate)",
        ])
    }

    private static func json(_ document: OutdatedDocuments.Document) -> String {
        JSONText.object([
            "path": JSONText.string(PathText.plain(document.path)),
            "device": JSONText.string(document.saver?.device),
            "saved": JSONText.string(document.saver?.moment),
            "error": JSONText.string(document.error),
        ])
    }

    private static func json(_ failure: Failure) -> String {
        JSONText.object([
            "path": JSONText.string(PathText.plain(failure.path)),
            "error": JSONText.string(failure.sentence),
        ])
    }

    // MARK: For people

    /// A paragraph for each scope.
    ///
    /// The line feeds are ours: whatever else is in a line may come from outside.
    var text: String {
        var lines = ["DocFS on \(mountPoint)"] + notes
        for scope in scopes {
            lines.append("")
            lines += text(of: scope)
        }
        return lines.map(ShownText.line).joined(separator: "\n") + "\n"
    }

    private func text(of scope: Scope) -> [String] {
        let (health, counts) = (scope.health, scope.counts)
        var lines = ["\(scope.name): \(Self.reachability(health))"]
        if let advice = advice(for: scope) { lines.append("  way out    \(advice)") }
        if health.logTrouble != nil {
            lines.append("             docfs doctor --repair says what can be done about it")
        }
        if health.isRepairing { lines.append("             the change log is being mended") }
        lines.append("  documents  \(counts.documents)")
        lines.append("  store      \(scope.store)")
        if let guarantee = health.guarantee { lines.append("             \(guarantee)") }
        if health.isLone { lines.append("             \(Self.lone)") }
        if let unseen = health.unseen {
            lines.append("             changes by other programs are found late: \(unseen)")
        }
        lines.append(
            "  pending    \(counts.pending) (\(health.uploading) uploading)")
        if !scope.openEdits.isEmpty {
            lines.append(
                "  open       in programs that write into them; docfs flush sends them now:")
            lines += scope.openEdits.map { "    \(PathText.line($0))" }
        }
        if !scope.outdated.shown.isEmpty {
            lines.append("  outdated   there are newer versions, which are not shown yet:")
            lines += scope.outdated.shown.map { document in
                let saver = document.saver.map { ": \($0.device), \($0.moment)" } ?? ""
                let error = document.error.map { "; it cannot be had: \($0)" } ?? ""
                return "    \(PathText.line(document.path))\(saver)\(error)"
            }
        }
        if scope.sending.total > 0 { lines.append("  sending    \(Self.text(scope.sending))") }
        if health.downloading > 0 { lines.append("  downloads  \(health.downloading)") }
        if scope.receiving.total > 0 { lines.append("  receiving  \(Self.text(scope.receiving))") }
        if counts.conflicts > 0 {
            lines.append("  conflicts  \(counts.conflicts), named in .docfs/conflicts")
        }
        if counts.excluded > 0 {
            lines.append("  excluded   \(counts.excluded), which stay on this device only")
        }
        if counts.leavingVersions > 0 {
            lines.append(
                "  versions   \(counts.leavingVersions) removed, not yet gone from the store")
        }
        return lines + troubles(of: scope)
    }

    /// What is not as it should be.
    private func troubles(of scope: Scope) -> [String] {
        let health = scope.health
        var lines: [String] = []
        if scope.failureCount > 0 {
            lines.append("  failures   \(scope.failureCount), each tried again from time to time")
            lines += scope.failures.map { "    \(PathText.line($0.path)): \($0.sentence)" }
        }
        if !health.setAside.isEmpty {
            lines.append(
                "  set aside  \(health.setAside.count) changes in the log that break its rules, "
                    + "for all devices alike")
            lines += health.setAside.map { "    \($0)" }
        }
        if !health.leftOut.isEmpty {
            lines.append(
                "  left out   documents of other programs whose names directories have:")
            lines += health.leftOut.map { "    \($0)" }
        }
        if !health.unlisted.isEmpty {
            lines.append("  unlisted   directories of the store that may not be listed:")
            lines += Self.unlisted(health).map { "    \($0)" }
        }
        if health.heldDeletes > 0 { lines += held(health.heldDeletes, in: scope.name) }
        return lines
    }

    /// What to do about a store without its container (S23).
    private func advice(for scope: Scope) -> String? {
        guard scope.health.lacksContainer else { return nil }
        return "bring the container back, its .docfs with it; if it is gone for good, stop the "
            + "daemon, touch '\(state)/new-container.\(scope.name)', and mount again, on every "
            + "device: then a new one is made of what lies there and of what this computer has"
    }

    private static func text(_ progress: TransferProgress) -> String {
        "\(progress.done) of \(progress.total) bytes, \(progress.rate) a second"
    }

    private static func reachability(_ health: ScopeHealth) -> String {
        switch (health.isOnline, health.problem) {
        case (true, nil): "online"
        case (true, let problem?): "online, but \(problem)"
        case (false, nil): "offline"
        case (false, let reason?): "offline: \(reason)"
        }
    }

    /// S23: what to do about it.
    private func held(_ count: Int, in name: String) -> [String] {
        let attribute = DocumentAttribute.confirmation.rawValue
        return [
            "  deletes    \(count) are held back, since they are more than half of all documents",
            "    to carry them out:",
            "    setfattr -n \(attribute) -v yes '\(mountPoint)/\(name)'",
        ]
    }
}
