import Testing

@testable import DocFS

/// What a record does to the trees and rows of a device.
struct LogApplierTests {
    @Test(
        "A row made of a body follows it when a record says that it stayed the same",
        arguments: [true, false])
    func follows(_ keepsBody: Bool) throws {
        let device = try TestDevice("alice", store: MemoryStore())
        try device.write("made", "of it")
        let item = ItemID(high: 0, low: 1)
        // Another program's: nobody knows its digest.
        let old = state("old", Revision("1"))
        let change = Change(
            operation: OperationID(high: 0, low: 1), item: item, before: Place(of: old),
            after: state("new", Revision("2")), keepsBody: keepsBody)
        let record = LogRecord(
            device: DeviceID(high: 0, low: 1), deviceName: "bob", time: 0, changes: [change])
        let source = try device.catalog.write { (write) throws(DocFSError) -> Revision? in
            guard var row = try write.read.child("made", of: device.scope.root) else {
                throw .notFound
            }
            row.divergence = .stored
            row.sourceItem = item
            row.sourceRevision = Revision("1")
            try write.update(row)
            try write.setState(.remote, of: item, scope: device.scope.id, to: old)
            let applier = LogApplier(write: write, scope: device.scope, objectsMove: true)
            guard try applier.apply(change, from: record) == nil else { throw .invalidArgument }
            return try write.read.local(row.ino)?.sourceRevision
        }
        #expect(source == Revision(keepsBody ? "2" : "1"))
    }

    @Test("A void removal's body is a version of what is there, or in the trash of what is gone")
    func voidRemoval() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        let item = ItemID(high: 0, low: 1)
        let place: ItemPath = ".docfs/trash/2026-11-23/00000000000000000000000000000001/doc"
        let old = state("doc", Revision("1"))
        let removal = Change(
            operation: OperationID(high: 0, low: 1), item: item, before: Place(of: old), after: nil,
            kept: place, removed: old)
        let record = LogRecord(
            device: DeviceID(high: 0, low: 1), deviceName: "bob", time: 0, changes: [removal])
        for now in [state("doc", Revision("2")), nil] {
            try device.catalog.write { (write) throws(DocFSError) in
                try write.setState(.remote, of: item, scope: scope, to: now)
                let applier = LogApplier(write: write, scope: device.scope, objectsMove: true)
                guard try applier.apply(removal, from: record) != nil else {
                    throw .invalidArgument
                }
                let version = try write.read.version(
                    of: item, revision: Revision("1"), scope: scope)
                let trash = try write.read.trash(of: item, scope: scope)
                guard version?.path == place, trash.map(\.place) == (now == nil ? [place] : [])
                else { throw .corrupt("version \(version as Any), trash \(trash)") }
            }
        }
    }

    private func state(_ name: Name, _ revision: Revision) -> ItemState {
        ItemState(
            parent: .root, name: name, metadata: Metadata(mode: 0o644, modified: .zero),
            content: .file(Body(size: 5, digest: nil, revision: revision)))
    }
}
