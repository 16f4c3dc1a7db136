internal import Glibc
internal import Logging

/// Settles conflicts by the strategies of the document types (S18), as their user would: with
/// `docfs resolve`, through the mount, so that what is decided by itself obeys every rule of what
/// is decided by hand.
///
/// Those that this device made alone: of two devices one decides. One is settled once the container
/// has all of its versions: what is not to stay goes to its versions or trash. What is not settled,
/// since both sides changed the same lines, a version cannot be had, or the daemon ends before,
/// stays for the user.
final class ConflictSettler: Sendable {
    private let catalog: Catalog
    private let mountPoint: String
    private let types: [DocumentType]
    private let log: Logger
    private let news = Wakeup()

    /// How often it is looked whether the kernel sees a conflict, a tenth of a second apart.
    private static let looks = 100
    /// Microseconds between two looks at what is open.
    private static let pause: UInt32 = 1_000_000

    init(_ catalog: Catalog, mountPoint: String, types: [DocumentType], log: Logger) {
        self.catalog = catalog
        self.mountPoint = mountPoint
        // Of several that cover a name the longest ending counts.
        self.types = types
        self.log = log
    }

    /// For as long as the daemon runs, where there is any type to settle conflicts of.
    func start() {
        guard types.contains(where: { $0.conflicts != .ask }) else { return }
        let bulletin = catalog.bulletin
        let first = bulletin.nextNumber
        bulletin.addListener { [news] in news.signal() }
        OwnThread.start(name: "conflicts") { [self] in
            var next = first
            var open: [DocumentEvent] = []
            while true {
                let (number, events) = bulletin.events(from: next)
                next = number + UInt64(events.count)
                open += events.filter {
                    $0.kind == .conflict && $0.author == .here && strategy(of: $0.path) != .ask
                }
                open.removeAll(where: settle)
                if !open.isEmpty {
                    // No event tells of everything that makes a version stored.
                    Posix.sleep(microseconds: Self.pause)
                } else if events.isEmpty {
                    news.wait()
                }
            }
        }
    }

    private func strategy(of path: ItemPath?) -> DocumentType.Strategy {
        path?.name.flatMap(types.type)?.conflicts ?? .ask
    }

    /// Whether there is no more to be done about it: it is settled, or stays.
    private func settle(_ event: DocumentEvent) -> Bool {
        guard let item = event.item, var path = event.path else { return true }
        do throws(DocFSError) {
            guard try isStored(item, event.scope) else { return false }
            // It may have been moved meanwhile.
            guard let now = try self.path(of: item, in: event.scope) else { return true }
            path = now
            let strategy = strategy(of: path)
            if strategy == .ask { return true }
            guard let shown = try text(of: path, in: event.scope) else { return true }
            guard try isSeen(item, event.scope, at: shown) else {
                log.info("a conflict of \(path) was not seen: it stays")
                return true
            }
            let (status, text) = try Posix.output(of: [
                try Self.program(), "resolve", "--keep", strategy.rawValue, "--", shown,
            ])
            let words = text.split(whereSeparator: \.isNewline).joined(separator: "; ")
            if status == 0 {
                log.notice("settled a conflict: \(words)")
            } else {
                log.info("a conflict of \(path) stays: \(words)")
            }
        } catch {
            log.warning("a conflict of \(path) stays: \(error.sentence)")
        }
        return true
    }

    /// Whether the container has all versions of a document as they are here.
    private func isStored(_ document: ItemID, _ scope: Int64) throws(DocFSError) -> Bool {
        try catalog.readConsistently { (read) throws(DocFSError) in
            var rows = try read.conflictVersions(of: document, scope: scope)
            if let row = try read.local(item: document, scope: scope) { rows.append(row) }
            for row in rows where try read.isAhead(row) { return false }
            return true
        }
    }

    /// Where a document is now; `nil` where it is nowhere.
    private func path(of item: ItemID, in scope: Int64) throws(DocFSError) -> ItemPath? {
        try catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.local(item: item, scope: scope),
                let root = try read.scope(scope)?.root
            else { return nil }
            return try read.path(of: row.ino, root: root)
        }
    }

    /// The document's path through the mount; `nil` where that is no text.
    private func text(of path: ItemPath, in scope: Int64) throws(DocFSError) -> String? {
        let record = try catalog.read { (read) throws(DocFSError) in try read.scope(scope) }
        guard let record, let inner = String(validating: path.bytes, as: UTF8.self) else {
            return nil
        }
        return "\(mountPoint)/\(record.name)/\(inner)"
    }

    /// Waits until the kernel takes the name for what it is now: it is told of that in the
    /// background, and may mean the version by it that has gone aside.
    ///
    /// Another process looks: one that waits for an answer of its own could not be killed.
    private func isSeen(_ item: ItemID, _ scope: Int64, at path: String) throws(DocFSError) -> Bool
    {
        for _ in 0..<Self.looks {
            let row = try catalog.read { (read) throws(DocFSError) in
                try read.local(item: item, scope: scope)
            }
            guard let row else { return false }
            let (status, text) = try Posix.output(of: ["stat", "--format=%i", "--", path])
            if status == 0, text == "\(FileNumber(row: row.ino).value)\n" { return true }
            Posix.sleep(microseconds: 100_000)
        }
        return false
    }

    /// Beside this program, else in PATH.
    private static func program() throws(DocFSError) -> String {
        let own = String(
            decoding: try Posix.readLink(at: AT_FDCWD, Array("/proc/self/exe".utf8)), as: UTF8.self)
        let beside = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "docfs"
        // Not there, or not to be seen: then it is looked for in PATH.
        let isThere = (try? Posix.status(path: String(beside))) != nil
        return isThere ? String(beside) : "docfs"
    }
}
