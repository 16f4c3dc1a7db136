import DocFS
import Foundation
import Testing

/// Rows that are made of another document's bytes, when that gets another revision.
@Suite("Followed bodies")
struct FollowSourceTests {
    @Test(
        "A row that holds a document's bytes follows its revision, edited or not",
        arguments: [Divergence.none, .stored, .written], [true, false])
    func follows(_ divergence: Divergence, isItsOwn: Bool) throws {
        let path = NSTemporaryDirectory() + "docfs-followed-\(UUID().uuidString)"
        defer {
            for suffix in ["", "-wal", "-shm", "-open"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let catalog = try Catalog(path: path)
        let source = ItemID(high: 0, low: 1)
        let rows = try catalog.write { (write) throws(DocFSError) in
            let scope = try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero)
            var rows: [LocalItem] = []
            for (number, token) in ["old", "older"].enumerated() {
                let item = ItemID(high: 0, low: UInt64(2 + number))
                var row = LocalItem(
                    scope: scope.id, item: item,
                    parent: scope.root, name: Name(token), mode: LocalItem.typeFile | 0o644,
                    owner: 0, group: 0, modified: .zero, changed: .zero)
                row.divergence = divergence
                row.sourceItem = isItsOwn ? row.item : source
                row.sourceRevision = Revision(token)
                row.ino = try write.insert(row)
                rows.append(row)
            }
            try write.followSource(
                isItsOwn ? rows[0].item : source, scope: scope.id, from: Revision("old"),
                to: Revision("new"))
            return rows
        }
        let now = try catalog.read { (read) throws(DocFSError) in
            [try read.local(rows[0].ino), try read.local(rows[1].ino)]
        }
        #expect(now.map { $0?.sourceRevision } == [Revision("new"), Revision("older")])
    }
}
