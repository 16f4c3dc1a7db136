import DocFS
import Foundation
import TestSupport
import Testing

/// How many documents a container has is kept count of.
struct TallyTests {
    @Test("The count follows whatever becomes of the items", arguments: UInt64(1)...3)
    func follows(seed: UInt64) throws {
        let path = NSTemporaryDirectory() + "docfs-tally-\(UUID().uuidString)"
        defer {
            for suffix in ["", "-wal", "-shm", "-open"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let catalog = try Catalog(path: path)
        let scopes = try catalog.write { (write) throws(DocFSError) in
            [
                try write.addScope(named: "Cloud", owner: 0, group: 0, at: .zero).id,
                try write.addScope(named: "Other", owner: 0, group: 0, at: .zero).id,
            ]
        }
        var random = SeededRandom(seed: seed)
        var kinds: [Int64: [UInt64: ItemKind]] = [:]
        for _ in 0..<500 {
            let scope = scopes[Int.random(in: 0..<2, using: &random)]
            let number = UInt64.random(in: 1...12, using: &random)
            let content: ItemContent? =
                [
                    .file(Body(size: 1, digest: nil, revision: Revision("r"))), .directory,
                    .symlink(target: [1], revision: Revision("r")), nil,
                ][Int.random(in: 0..<4, using: &random)]
            kinds[scope, default: [:]][number] = content?.kind
            try catalog.write { (write) throws(DocFSError) in
                let state = content.map {
                    ItemState(
                        parent: .root, name: Name("\(number)"),
                        metadata: Metadata(mode: 0o644, modified: .zero), content: $0)
                }
                try write.setState(
                    .remote, of: ItemID(high: 0, low: number), scope: scope, to: state)
            }
            for scope in scopes {
                let expected = kinds[scope, default: [:]].values.filter { $0 != .directory }.count
                let counted = try catalog.read { (read) throws(DocFSError) in
                    try read.counts(scope: scope).documents
                }
                #expect(counted == expected)
            }
        }
    }
}
