import Testing

@testable import DocFS

/// Where a row goes whose name another version gets.
struct SetAsideTests {
    // S16
    @Test("A second conflict within the same second leaves a second sibling")
    func sameSecond() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        try device.write("doc", "one")
        try device.write("other", "two")
        let settings = SyncSettings(
            deviceName: "alice", settle: 0, poll: 0, owner: 0, group: 0)
        let now = Timestamp(seconds: 1_000_000_000, nanoseconds: 0)
        for path in ["doc", "other"] {
            try device.catalog.write { (write) throws(DocFSError) in
                var applier = LocalApplier(
                    write: write, scope: device.scope, settings: settings,
                    replica: device.replica, now: now, newItem: { ItemID(high: 0, low: 1) },
                    bodies: KnownBodies())
                guard var row = try write.read.child(Name(path), of: device.scope.root) else {
                    throw .notFound
                }
                row.name = "doc"
                try write.update(row)
                try applier.setAside(row, marked: nil)
            }
        }
        let names = try device.catalog.read { (read) throws(DocFSError) in
            try read.children(of: device.scope.root).map(\.name.description)
        }
        #expect(Set(names).count == 2)
        #expect(names.allSatisfy { $0.hasPrefix("doc (conflict from alice, 2001-09-09") })
    }
}
