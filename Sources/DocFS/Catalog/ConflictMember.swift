/// A document, or a conflict version of it, that has moved between scopes (S24).
///
/// Known until both are in one container again, where the version's row has its mark.
package struct ConflictMember: Hashable, Sendable {
    /// 0 for one that is not stored yet.
    package var id: Int64 = 0
    /// The item that the document is, or was when it left its container.
    package var document: ItemID
    /// Whether it is a conflict version of ``document``; otherwise it is the document itself.
    package var isVersion: Bool
    /// Whether it is a version that was moved without its document.
    package var movedAlone = false
    /// Under any other, a version is a document of its own (S17).
    package var name: Name
    /// Its row, while it has one.
    package var ino: Int64?
    /// Its place in `Local/`, or, until it has a name in a container, the one that it comes from.
    ///
    /// The device of `Local/` itself, which may have another number after a restart, is 0 here.
    package var place: DiskPlace?
    /// The inode of the file at ``place``: another one there is no member.
    ///
    /// 0 for any, of a place that a save may be about to fill.
    package var file: UInt64 = 0

    /// One that leaves a container.
    package init(
        document: ItemID, isVersion: Bool, movedAlone: Bool = false, name: Name, ino: Int64
    ) {
        self.document = document
        self.isVersion = isVersion
        self.movedAlone = movedAlone
        self.name = name
        self.ino = ino
    }

    init(row: Statement) {
        id = row.int()
        document = row.identifier(ItemID.self) ?? .root
        isVersion = row.int() != 0
        movedAlone = row.int() != 0
        name = Name(row.bytes())
        ino = row.optionalInt()
        let (device, inode) = (row.optionalInt(), row.optionalInt())
        file = UInt64(bitPattern: row.optionalInt() ?? 0)
        if let device, let inode {
            place = DiskPlace(
                device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), name: name)
        }
    }

    fileprivate func bind(to statement: Statement) {
        statement.bind(document)
        statement.bind(Int64(isVersion ? 1 : 0))
        statement.bind(Int64(movedAlone ? 1 : 0))
        statement.bind(name.bytes)
        statement.bind(ino)
        guard let place else { return statement.bindNull(count: 3) }
        statement.bind(Int64(bitPattern: place.device))
        statement.bind(Int64(bitPattern: place.inode))
        statement.bind(Int64(bitPattern: file))
    }
}

extension CatalogReader {
    private static let columns =
        "id, document, version, moved_alone, name, ino, device, inode, file"
    private static let byID = Query("SELECT \(columns) FROM conflict_member WHERE id = ?")
    private static let byIno = Query("SELECT \(columns) FROM conflict_member WHERE ino = ?")
    private static let byPlace = Query(
        """
        SELECT \(columns) FROM conflict_member
        WHERE device = ? AND inode = ? AND name = ? AND ino IS NULL
        """)
    private static let byDocument = Query(
        "SELECT \(columns) FROM conflict_member WHERE document = ? ORDER BY id")
    private static let any = Query("SELECT EXISTS (SELECT 1 FROM conflict_member)")
    private static let anyOfDocument = Query("SELECT 1 FROM conflict_member WHERE document = ?")
    private static let anyVersion = Query(
        """
        SELECT 1 FROM local
        WHERE scope = ? AND conflict_of = ? AND parent IS NOT NULL LIMIT 1
        """)
    // Those whose members are all files of Local/ are as they are to be.
    private static let unfinished = Query(
        """
        SELECT DISTINCT document FROM conflict_member m WHERE ino IS NOT NULL
        OR file = 0 OR NOT EXISTS (SELECT 1 FROM conflict_member d
          WHERE d.document = m.document AND NOT d.version)
        OR EXISTS (SELECT 1 FROM scope s JOIN local l ON l.scope = s.id
          AND l.conflict_of = m.document)
        """)
    private static let shown = Query(
        """
        SELECT ino, \(LocalItem.columns) FROM local
        WHERE item = ? AND parent IS NOT NULL LIMIT 1
        """)

    /// What is known of a member by now; `nil` if it is forgotten.
    package func conflictMember(id: Int64) throws(DocFSError) -> ConflictMember? {
        try connection.first(Self.byID, { $0.bind(id) }, ConflictMember.init(row:))
    }

    package func conflictMember(ino: Int64) throws(DocFSError) -> ConflictMember? {
        try connection.first(Self.byIno, { $0.bind(ino) }, ConflictMember.init(row:))
    }

    /// The member that is a file of `Local/` at a place.
    package func conflictMember(at place: DiskPlace) throws(DocFSError) -> ConflictMember? {
        try connection.first(Self.byPlace, { $0.bind(place) }, ConflictMember.init(row:))
    }

    /// A document and its versions, in the order in which they were noted.
    package func conflictMembers(of document: ItemID) throws(DocFSError) -> [ConflictMember] {
        try connection.all(
            Self.byDocument, { $0.bind(document) }, ConflictMember.init(row:))
    }

    func hasConflictMembers() throws(DocFSError) -> Bool {
        try connection.first(Self.any, { _ in }, { $0.int() != 0 }) ?? false
    }

    /// Whether a document has conflict versions in its container, or elsewhere.
    package func hasVersions(_ document: LocalItem) throws(DocFSError) -> Bool {
        if try connection.exists(Self.anyVersion, key(document.item, document.scope)) {
            return true
        }
        return try connection.exists(Self.anyOfDocument) { $0.bind(document.item) }
    }

    /// The documents of which not all members are known to be where they belong.
    package func documentsToRelink() throws(DocFSError) -> [ItemID] {
        try connection.all(Self.unfinished, { _ in }) { $0.identifier(ItemID.self) ?? .root }
    }

    /// The row that shows an item, in whichever container.
    package func shown(_ item: ItemID) throws(DocFSError) -> LocalItem? {
        try connection.first(Self.shown, { $0.bind(item) }, LocalItem.init(row:))
    }
}

extension CatalogWriter {
    private static let addMember = Query(
        """
        INSERT OR REPLACE INTO conflict_member
        (document, version, moved_alone, name, ino, device, inode, file)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """)
    private static let updateMember = Query(
        """
        UPDATE OR REPLACE conflict_member
        SET (document, version, moved_alone, name, ino, device, inode, file)
          = (?, ?, ?, ?, ?, ?, ?, ?)
        WHERE id = ?
        """)
    private static let removeMember = Query("DELETE FROM conflict_member WHERE id = ?")
    private static let addVersions = Query(
        """
        INSERT OR IGNORE INTO conflict_member (document, version, moved_alone, name, ino)
        SELECT conflict_of, 1, 0, name, ino FROM local l
        WHERE scope = ? AND conflict_of = ? AND owner = ? AND parent IS NOT NULL
          AND target IS NULL AND instr(name, ?) > 0
          AND NOT EXISTS (SELECT 1 FROM conflict_member m WHERE m.ino = l.ino) LIMIT ?
        """)
    private static let pass = Query(
        "UPDATE OR REPLACE conflict_member SET ino = ? WHERE ino = ?")
    private static let follow = Query(
        "UPDATE conflict_member SET document = ? WHERE document = ?")
    private static let limit = Query(
        """
        DELETE FROM conflict_member WHERE document IN (SELECT document FROM conflict_member
          WHERE id <= (SELECT max(id) FROM conflict_member) - ?)
        """)

    /// Notes a member, in the place of what is known of its row or of its place.
    package func add(_ member: ConflictMember) throws(DocFSError) {
        changesConflictMembers = true
        try connection.run(Self.addMember) { member.bind(to: $0) }
    }

    /// Stores what is known of a member by now.
    package func update(_ member: ConflictMember) throws(DocFSError) {
        try connection.run(Self.updateMember) {
            member.bind(to: $0)
            $0.bind(member.id)
        }
    }

    package func remove(_ member: ConflictMember) throws(DocFSError) {
        changesConflictMembers = true
        try connection.run(Self.removeMember) { $0.bind(member.id) }
    }

    /// Notes the conflict versions that a container has of an item.
    ///
    /// - Parameters:
    ///   - owner: those of other users are left out.
    ///   - words: those without them in their names are left out.
    ///   - count: at most so many.
    package func addVersions(
        of document: ItemID, scope: Int64, owner: UInt32, having words: [UInt8], atMost count: Int
    ) throws(DocFSError) {
        changesConflictMembers = true
        try connection.run(Self.addVersions) {
            $0.bind(scope)
            $0.bind(document)
            $0.bind(Int64(owner))
            $0.bind(words)
            $0.bind(Int64(count))
        }
    }

    /// A row has got the name of another one, of which something was noted.
    package func passConflictMember(from old: Int64, to new: Int64) throws(DocFSError) {
        try connection.run(Self.pass) {
            $0.bind(new)
            $0.bind(old)
        }
    }

    /// A row that was to be made of a file of `Local/` goes: the file is where it was.
    package func releaseConflictMember(ino: Int64) throws(DocFSError) {
        guard var member = try read.conflictMember(ino: ino) else { return }
        member.ino = nil
        let isTaken = try member.place.map { (place) throws(DocFSError) in
            try read.conflictMember(at: place) != nil
        }
        if isTaken == false { try update(member) } else { try forget(member) }
    }

    /// Forgets a member.
    ///
    /// With the last place of a document, its versions have nothing to follow: its item may be
    /// shown in a container once more, which is another document's business.
    package func forget(_ member: ConflictMember) throws(DocFSError) {
        try remove(member)
        if member.isVersion { return }
        let left = try read.conflictMembers(of: member.document)
        guard left.allSatisfy(\.isVersion) else { return }
        for var version in left where !version.movedAlone {
            version.movedAlone = true
            try update(version)
        }
    }

    /// A document has become another item, and what is known of it and its versions is of that one.
    package func followDocument(_ old: ItemID, to new: ItemID) throws(DocFSError) {
        try connection.run(Self.follow) {
            $0.bind(new)
            $0.bind(old)
        }
    }

    /// Forgets the documents that were noted longest ago.
    ///
    /// - Parameter count: so many notes are old enough.
    package func limitConflictMembers(to count: Int) throws(DocFSError) {
        changesConflictMembers = true
        try connection.run(Self.limit) { $0.bind(Int64(count)) }
    }

    /// A row of a container has become another item: the conflict versions that it had are that
    /// item's.
    package func passVersions(of old: ItemID, to new: ItemID, scope: Int64) throws(DocFSError) {
        for var version in try read.conflictVersions(of: old, scope: scope) {
            version.conflictOf = ConflictMark(of: new)
            try update(version)
            try markPending(version.item, scope: scope)
        }
        try followDocument(old, to: new)
    }
}
