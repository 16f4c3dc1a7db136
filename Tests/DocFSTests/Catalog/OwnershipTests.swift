import DocFS
import Foundation
import TestSupport
import Testing

/// Whose the bytes were on this device that the versions and the trash get.
struct OwnershipTests {
    private let path = NSTemporaryDirectory() + "docfs-ownership-\(UUID().uuidString)"
    private let catalog: Catalog
    private let scope: ScopeRecord
    private let item = ItemID(high: 0, low: 1)

    init() throws {
        catalog = try Catalog(path: path)
        scope = try catalog.write { (write) throws(DocFSError) in
            try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero)
        }
    }

    private func tidy() {
        for suffix in ["", "-wal", "-shm", "-open"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func row(_ user: UInt32, _ name: Name, _ revision: String?) -> LocalItem {
        var row = LocalItem(
            scope: scope.id, item: item, parent: scope.root, name: name,
            mode: LocalItem.typeFile | 0o640, owner: user, group: user, modified: .zero,
            changed: .zero)
        row.basis = revision.map { Revision($0) }
        row.divergence = revision == nil ? .written : .none
        return row
    }

    private func state(_ revision: String) -> ItemState {
        ItemState(
            parent: .root, name: "doc", metadata: Metadata(mode: 0o644, modified: .zero),
            content: .file(Body(size: 1, digest: nil, revision: Revision(revision))))
    }

    private func owner(of revision: String, in write: CatalogWriter) throws(DocFSError) -> UInt32? {
        try write.read.ownership(of: item, revision: Revision(revision), scope: scope.id)?.user
    }

    private func drop(_ row: LocalItem, _ write: CatalogWriter) throws(DocFSError) {
        var row = row
        row.parent = nil
        try write.update(row)
    }

    @Test("S31: of a deleted document it is known whose it was, and its mode, until that is told")
    func deleted() throws {
        defer { tidy() }
        let scope = scope.id
        let (known, left, gone) = try catalog.write { (write) throws(DocFSError) in
            var row = row(1001, "doc", "r1")
            row.ino = try write.insert(row)
            try write.setState(.remote, of: item, scope: scope, to: state("r1"))
            try drop(row, write)
            try write.delete(row.ino)
            let known = try write.read.ownership(of: item, revision: Revision("r1"), scope: scope)
            let left = try owner(of: "r2", in: write)
            try write.setState(.remote, of: item, scope: scope, to: nil)
            return (known, left, try owner(of: "r1", in: write))
        }
        #expect(known == Ownership(user: 1001, group: 1001, mode: 0o640))
        // Nobody else ever had it.
        #expect(left == 1001)
        #expect(gone == nil)
    }

    @Test("S31: who replaces somebody's document does not get what it was before")
    func replaced() throws {
        defer { tidy() }
        let scope = scope.id
        try catalog.write { (write) throws(DocFSError) in
            var alices = row(1001, "doc", "r1")
            alices.ino = try write.insert(alices)
            try write.setState(.remote, of: item, scope: scope, to: state("r1"))
            var bobs = row(1002, "new", nil)
            bobs.item = ItemID(high: 0, low: 2)
            bobs.ino = try write.insert(bobs)
            try drop(alices, write)
            bobs.item = item
            bobs.name = "doc"
            bobs.basis = Revision("r1")
            try write.update(bobs)
            guard try owner(of: "r1", in: write) == 1001 else { throw .corrupt("not alice's") }
            // Hers that nobody had seen yet, or his: that is not known.
            guard try owner(of: "r2", in: write) == nil else { throw .corrupt("somebody's") }
            try write.addVersion(
                VersionRecord(
                    item: item, revision: Revision("r1"), path: "v/1", size: 1, digest: nil,
                    modified: .zero, device: "a", recorded: 0, mode: 0o644,
                    ownership: Ownership(user: 1001, group: 1001, mode: 0o640)), scope: scope)
            try write.setState(.remote, of: item, scope: scope, to: state("r2"))
            guard try owner(of: "r2", in: write) == 1002 else { throw .corrupt("not bob's") }
        }
        let version = try catalog.read { (read) throws(DocFSError) in
            try read.version(of: item, revision: Revision("r1"), scope: scope)
        }
        #expect(version?.ownership == Ownership(user: 1001, group: 1001, mode: 0o640))
        #expect(version?.mode == 0o644)
    }

    @Test("S31: the same bytes under another revision are not given to who came later")
    func renamedRevision() throws {
        defer { tidy() }
        let scope = scope.id
        let user = try catalog.write { (write) throws(DocFSError) in
            var alices = row(1001, "doc", "r1")
            alices.ino = try write.insert(alices)
            try write.setState(.remote, of: item, scope: scope, to: state("r1"))
            try drop(alices, write)
            // More than one of hers that come to the same.
            for revision in [nil, "r0"] {
                var other = row(1001, "doc", revision)
                other.ino = try write.insert(other)
                try drop(other, write)
                try drop(other, write)
            }
            try write.setState(.remote, of: item, scope: scope, to: state("r1b"))
            try write.insert(row(1002, "doc", nil))
            return try owner(of: "r1b", in: write)
        }
        #expect(user == nil)
    }

    @Test("Once all agree, nothing is noted of who had the document before")
    func agreed() throws {
        defer { tidy() }
        let scope = scope.id
        let (before, after) = try catalog.write { (write) throws(DocFSError) in
            var alices = row(1001, "doc", "r1")
            alices.ino = try write.insert(alices)
            try write.setState(.remote, of: item, scope: scope, to: state("r2"))
            try drop(alices, write)
            try write.insert(row(1002, "doc", "r2"))
            try write.markPending(item, scope: scope)
            let before = try owner(of: "r3", in: write)
            try write.clearPending(item, scope: scope)
            return (before, try owner(of: "r3", in: write))
        }
        #expect(before == nil && after == 1002)
    }

    @Test("A snapshot that names a version again does not forget whose it was")
    func snapshot() throws {
        defer { tidy() }
        let scope = scope.id
        let known = Ownership(user: 1001, group: 1002, mode: 0o600)
        let version = try catalog.write { (write) throws(DocFSError) in
            var record = VersionRecord(
                item: item, revision: Revision("r1"), path: "v/1", size: 1, digest: nil,
                modified: .zero, device: "a", recorded: 0, mode: 0o604, ownership: known)
            try write.addVersion(record, scope: scope)
            record.mode = nil
            record.ownership = nil
            record.path = "v/2"
            try write.addVersion(record, scope: scope)
            return try write.read.version(of: item, revision: Revision("r1"), scope: scope)
        }
        #expect(version?.path == "v/2" && version?.mode == 0o604 && version?.ownership == known)
    }

    @Test("Nothing is noted of documents that no store ever had")
    func unsent() throws {
        defer { tidy() }
        let user = try catalog.write { (write) throws(DocFSError) in
            var row = row(1001, "doc", nil)
            row.ino = try write.insert(row)
            try drop(row, write)
            return try owner(of: "r1", in: write)
        }
        #expect(user == nil)
    }
}
