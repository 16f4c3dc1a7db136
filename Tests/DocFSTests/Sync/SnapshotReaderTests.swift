import Foundation
import Testing

@testable import DocFS

/// What a snapshot is made of, in pages that are small enough.
struct SnapshotReaderTests {
    private func item(_ number: UInt64) -> ItemID { ItemID(high: 0, low: number) }

    private func state(_ number: UInt64) -> ItemState {
        ItemState(
            parent: .root, name: Name("\(number)"),
            metadata: Metadata(mode: 0o644, modified: .zero),
            content: .file(Body(size: number, digest: nil, revision: Revision("r\(number)"))))
    }

    @Test func everythingIsInOnePageOfItsKind() throws {
        let path = NSTemporaryDirectory() + "docfs-snapshot-\(UUID().uuidString)"
        defer {
            for suffix in ["", "-wal", "-shm", "-open"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let catalog = try Catalog(path: path)
        let scope = try catalog.write { (write) throws(DocFSError) in
            try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero).id
        }
        let entries = (1...5).map {
            SnapshotPage.Entry(
                item: item($0), state: state($0), lodging: nil,
                saver: $0 == 2 ? nil : Saver(device: "bob", time: Int64($0)))
        }
        let versions = (1...4 as ClosedRange<UInt64>).map { number in
            VersionRecord(
                item: item(number / 2 + 1), revision: Revision("v\(number)"), path: "v", size: 1,
                digest: nil, modified: .zero, device: "alice", recorded: 1,
                saver: number == 2 ? nil : Saver(device: "bob", time: Int64(number)))
        }
        let trash = (1...3 as ClosedRange<UInt64>).map { number in
            TrashRecord(
                operation: OperationID(high: 0, low: number / 2), item: item(10 + number),
                path: "gone", place: "trash", metadata: state(number).metadata,
                content: state(number).content, recorded: 1)
        }
        let leftovers = ["a", "b/c"].map { Leftover(place: ItemPath($0), revision: nil) }
        try catalog.write { (write) throws(DocFSError) in
            for entry in entries.reversed() {
                try write.setState(.remote, of: entry.item, scope: scope, to: entry.state)
                try write.setSaver(of: entry.item, scope: scope, to: entry.saver)
            }
            for version in versions { try write.addVersion(version, scope: scope) }
            for trash in trash { try write.addTrash(trash, scope: scope) }
            for leftover in leftovers { try write.addLeftover(leftover, scope: scope) }
        }
        for size in 1...15 {
            var reader = SnapshotReader(scope: scope, pageSize: size)
            var whole = SnapshotPage()
            while !reader.isAtEnd {
                let page = try reader.next(from: catalog)
                #expect(
                    page.entries.count + page.versions.count + page.trash.count
                        + page.leftovers.count <= size)
                whole.entries += page.entries
                whole.versions += page.versions
                whole.trash += page.trash
                whole.leftovers += page.leftovers
            }
            #expect(whole.entries == entries)
            #expect(whole.versions == versions)
            #expect(whole.trash == trash)
            #expect(whole.leftovers == leftovers)
        }
    }
}
