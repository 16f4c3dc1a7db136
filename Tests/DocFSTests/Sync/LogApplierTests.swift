import TestSupport
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
            var applier = logApplier(write, on: device, objectsMove: true)
            guard try applier.apply(change, from: record) == nil else { throw .invalidArgument }
            return try write.read.local(row.ino)?.sourceRevision
        }
        #expect(source == Revision(keepsBody ? "2" : "1"))
    }

    @Test("S20: newer bytes whose object this device brings home are not seen by that")
    func bringsHome() throws {
        let device = try TestDevice("alice", store: MemoryStore(capabilities: .objects))
        try device.write("doc", "old")
        let before = state("doc", Revision("2"))
        let item = ItemID(high: 0, low: 1)
        let revisions = try device.catalog.write { (write) throws(DocFSError) -> [Revision?] in
            var found: [Revision?] = []
            for basis in [Revision("1"), Revision("2")] {
                guard var row = try write.read.child("doc", of: device.scope.root) else {
                    throw .notFound
                }
                row.item = item
                row.rebase(onto: state("doc", basis))
                try write.update(row)
                try write.setState(
                    .base, of: item, scope: device.scope.id, to: state("doc", basis))
                let change = Change(
                    operation: OperationID(high: 0, low: 1), item: item, before: Place(of: before),
                    after: state("doc", Revision("3")), keepsBody: true)
                let applier = logApplier(write, on: device, objectsMove: false)
                try applier.acknowledge(change, verb: .bringHome, sent: nil)
                let base = try write.read.state(.base, of: item, scope: device.scope.id)
                found += [base?.content.revision, try write.read.local(row.ino)?.basis]
            }
            return found
        }
        #expect(revisions.map { $0?.token } == ["1", "1", "3", "3"])
    }

    @Test("Whoever brings other bytes has saved them; who moves or describes them has not")
    func savers() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        let item = ItemID(high: 0, low: 1)
        let digest = Digest(bytes: Array(0..<32))
        var moved = state("moved", Revision("2"))
        moved.content = .file(Body(size: 1, digest: digest, revision: Revision("2")))
        var again = moved
        again.content = .file(Body(size: 1, digest: digest, revision: Revision("3")))
        // Who, what, whether the body stays, where the former one went, and who has saved it then.
        let records: [(String, ItemState?, Bool, ItemPath?, String?)] = [
            ("bob", state("doc", Revision("1")), false, nil, "bob"),
            ("carol", state("moved", Revision("1")), false, nil, "bob"),
            ("carol", moved, true, nil, "bob"),
            ("carol", again, false, nil, "bob"),
            ("dave", state("moved", Revision("4")), false, "v/3", "dave"),
            ("carol", nil, false, nil, nil),
            ("erin", state("moved", Revision("5")), false, nil, "erin"),
        ]
        var before: ItemState?
        for (index, (name, after, keepsBody, kept, saver)) in records.enumerated() {
            let change = Change(
                operation: OperationID(high: 0, low: UInt64(index)), item: item,
                before: before.map { Place(of: $0) }, after: after, kept: kept,
                keepsBody: keepsBody)
            let record = LogRecord(
                device: DeviceID(high: 0, low: 1), deviceName: name, time: Int64(index),
                changes: [change])
            let found = try device.catalog.write { (write) throws(DocFSError) in
                var applier = logApplier(write, on: device, objectsMove: true)
                guard try applier.apply(change, from: record) == nil else {
                    throw .invalidArgument
                }
                return try write.read.saver(of: item, scope: scope)
            }
            #expect(found?.device == saver, "\(index)")
            before = after
        }
        let version = try device.catalog.read { (read) throws(DocFSError) in
            try read.version(of: item, revision: Revision("3"), scope: scope)
        }
        #expect(version?.saver == Saver(device: "bob", time: 0) && version?.device == "dave")
    }

    @Test("A version that the user has removed is one again when a record keeps the same body")
    func keepsAgain() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        let item = ItemID(high: 0, low: 1)
        let (one, other) = (state("doc", Revision("1")), state("doc", Revision("2")))
        let change = Change(
            operation: OperationID(high: 0, low: 1), item: item, before: Place(of: one),
            after: other, kept: "v/1")
        try device.catalog.write { (write) throws(DocFSError) in
            try write.setState(.remote, of: item, scope: scope, to: one)
            for path in ["v/1", "v/2"] as [ItemPath] { try write.addUnwanted(path, scope: scope) }
            var applier = logApplier(write, on: device, objectsMove: true)
            try apply(change, &applier)
            guard try write.read.unwantedVersions(scope: scope) == ["v/2"] else {
                throw .corrupt("it stays unwanted")
            }
        }
    }

    @Test("On a store of objects, only what is brought home leaves something behind")
    func leavesBehind() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        let before = state("old", Revision("1"))
        // The name afterwards, whether the body is said to be kept, and what is left behind.
        let cases: [(Name, Bool, [ItemPath])] = [
            ("new", false, []), ("old", false, []), ("old", true, ["old"]),
        ]
        for (number, (name, keepsBody, left)) in cases.enumerated() {
            let item = ItemID(high: 0, low: UInt64(number + 1))
            let change = Change(
                operation: OperationID(high: 0, low: 1), item: item, before: Place(of: before),
                after: state(name, Revision("1")), object: "new", keepsBody: keepsBody)
            let found = try device.catalog.write { (write) throws(DocFSError) in
                try write.setState(.remote, of: item, scope: scope, to: before)
                var applier = logApplier(write, on: device, objectsMove: false)
                try apply(change, &applier)
                let found = try write.read.leftovers(scope: scope).map(\.place)
                try write.setState(.remote, of: item, scope: scope, to: nil)
                try write.removeAllKept(scope: scope)
                return found
            }
            #expect(found == left, "\(name) \(keepsBody)")
        }
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
                var applier = logApplier(write, on: device, objectsMove: true)
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

    // S25, S35
    @Test("However often a record moves directories, what is below is looked at once")
    func manyMoves() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        func item(_ number: UInt64) -> ItemID { ItemID(high: 0, low: number) }
        // Each in the one before it, the last with many documents.
        let names: [Name] = ["0", "1", "2"]
        let looks = try device.catalog.write { (write) throws(DocFSError) -> Int in
            for (index, name) in names.enumerated() {
                let parent = index == 0 ? .root : item(UInt64(index))
                try write.setState(
                    .remote, of: item(UInt64(index) + 1), scope: scope,
                    to: directory(name, in: parent))
            }
            for number in 100..<200 as Range<UInt64> {
                var document = state(Name("\(number)"), Revision("\(number)"))
                document.parent = item(3)
                try write.setState(.remote, of: item(number), scope: scope, to: document)
            }
            var applier = logApplier(write, on: device, objectsMove: false)
            for round in 0..<100 {
                for number in 1...3 as ClosedRange<UInt64> {
                    guard let now = try write.read.state(.remote, of: item(number), scope: scope)
                    else { throw .notFound }
                    var after = now
                    after.name = Name("\(number) \(round)")
                    try apply(change(item(number), now, after), &applier)
                }
            }
            try applier.finish()
            // The objects are where they were, and their items know.
            for number in 100..<200 as Range<UInt64> {
                let path = try write.read.objectPath(of: item(number), scope: scope)
                guard path == ItemPath("0/1/2/\(number)") else { throw .corrupt("\(path as Any)") }
            }
            return applier.looks
        }
        #expect(looks == 102)
    }

    // S25
    @Test("What comes and goes while its directory moves has its object where the record says")
    func movesBetween() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        let (one, two) = (ItemID(high: 0, low: 1), ItemID(high: 0, low: 2))
        let documents = (3...6).map { ItemID(high: 0, low: $0) }
        try device.catalog.write { (write) throws(DocFSError) in
            func set(_ item: ItemID, _ state: ItemState) throws(DocFSError) {
                try write.setState(.remote, of: item, scope: scope, to: state)
            }
            func document(_ name: Name, in parent: ItemID) -> ItemState {
                var document = state(name, Revision("r"))
                document.parent = parent
                return document
            }
            try set(one, directory("one", in: .root))
            try set(two, directory("two", in: .root))
            try set(documents[0], document("stays", in: one))
            try set(documents[1], document("leaves", in: one))
            try set(documents[2], document("comes", in: two))
            var applier = logApplier(write, on: device, objectsMove: false)
            func move(_ item: ItemID, to parent: ItemID, as name: Name) throws(DocFSError) {
                guard let now = try write.read.state(.remote, of: item, scope: scope) else {
                    throw .notFound
                }
                var after = now
                (after.parent, after.name) = (parent, name)
                try apply(change(item, now, after), &applier)
            }
            try move(one, to: .root, as: "1")
            try move(documents[1], to: two, as: "leaves")
            try move(documents[2], to: one, as: "comes")
            var made = change(documents[3], nil, document("made", in: one))
            made.object = "1/made"
            try apply(made, &applier)
            try move(one, to: two, as: "one")
            try move(two, to: .root, as: "one")
            // Where it began.
            try move(documents[1], to: .root, as: "x")
            try move(documents[1], to: one, as: "leaves")
            try move(one, to: .root, as: "again")
            try move(two, to: .root, as: "two")
            try move(one, to: .root, as: "one")
            try applier.finish()
            let places = try documents.map { (item) throws(DocFSError) in
                try write.read.objectPath(of: item, scope: scope)
            }
            guard places == ["one/stays", "one/leaves", "two/comes", "1/made"] else {
                throw .corrupt("\(places)")
            }
            // Those that are where they belong lodge nowhere.
            let lodgers = try write.read.lodgers(scope: scope).map(\.item).sorted()
            guard lodgers == [documents[2], documents[3]] else { throw .corrupt("\(lodgers)") }
        }
    }

    // S25
    @Test("What is made before its directory moves has its object where it was made")
    func madeBefore() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        let (one, made, stays) = (
            ItemID(high: 0, low: 1), ItemID(high: 0, low: 2), ItemID(high: 0, low: 3)
        )
        let places = try device.catalog.write { (write) throws(DocFSError) in
            try write.setState(.remote, of: one, scope: scope, to: directory("one", in: .root))
            var applier = logApplier(write, on: device, objectsMove: false)
            for (item, parent, place) in [(made, one, "one/made"), (stays, .root, "made")]
                as [(ItemID, ItemID, ItemPath)]
            {
                var document = state("made", Revision("r"))
                document.parent = parent
                var change = change(item, nil, document)
                change.object = place
                try apply(change, &applier)
            }
            let moved = directory("moved", in: .root)
            try apply(change(one, directory("one", in: .root), moved), &applier)
            try applier.finish()
            guard try write.read.lodgers(scope: scope).map(\.item).sorted() == [one, made] else {
                throw .corrupt("not the directory and what was made in it lodge")
            }
            return try [made, stays].map { (item) throws(DocFSError) in
                try write.read.objectPath(of: item, scope: scope)
            }
        }
        #expect(places == ["one/made", "made"])
    }

    @Test("S14: each change of a record meets the directories that those before it have left")
    func directoriesOfOneRecord() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let (one, two) = (ItemID(high: 0, low: 1), ItemID(high: 0, low: 2))
        let (documents, scope) = ((3..<8).map { ItemID(high: 0, low: $0) }, device.scope.id)
        func document(_ name: Name, in parent: ItemID) -> ItemState {
            var document = state(name, Revision("r"))
            document.parent = parent
            return document
        }
        let objections = try device.catalog.write { (write) throws(DocFSError) in
            try write.setState(.remote, of: one, scope: scope, to: directory("one", in: .root))
            var applier = logApplier(write, on: device, objectsMove: true)
            let changes = [
                change(documents[0], nil, document("a", in: one)),
                change(two, nil, directory("two", in: one)),
                change(documents[1], nil, document("b", in: two)),
                // The directory is not empty, and then it is.
                change(two, directory("two", in: one), nil),
                change(documents[1], document("b", in: two), nil),
                change(two, directory("two", in: one), nil),
                change(documents[2], nil, document("c", in: two)),
                // It is where it was moved to, and not where it was.
                change(documents[3], nil, document("d", in: one)),
                change(one, directory("one", in: .root), directory("new", in: .root)),
                change(documents[4], nil, document("e", in: one)),
                change(one, directory("one", in: .root), nil),
                // A document takes its place.
                change(documents[0], document("a", in: one), document("a", in: documents[3])),
            ]
            return try changes.map { (change) throws(DocFSError) in
                try applier.apply(
                    change,
                    from: LogRecord(
                        device: DeviceID(high: 0, low: 1), deviceName: "bob", time: 0,
                        changes: [change]))
            }
        }
        #expect(
            objections == [
                nil, nil, nil, "the directory is not empty", nil, nil, "its directory is gone",
                nil, nil, nil, "the item has moved on", "its directory is gone",
            ])
    }

    @Test("A directory that is not here is looked at again when something comes into it")
    func absentDirectories() throws {
        let device = try TestDevice("alice", store: MemoryStore())
        let scope = device.scope.id
        let (absent, here) = (ItemID(high: 0, low: 1), ItemID(high: 0, low: 2))
        try device.makeDirectory("here")
        let pending = try device.catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.child("here", of: device.scope.root) else {
                throw .notFound
            }
            try write.clearPending(row.item, scope: scope)
            row.item = here
            try write.update(row)
            for (item, name) in [(absent, "absent"), (here, "here")] as [(ItemID, Name)] {
                try write.setState(.remote, of: item, scope: scope, to: directory(name, in: .root))
            }
            var applier = logApplier(write, on: device, objectsMove: true)
            for (number, parent) in [absent, absent, here, here].enumerated() {
                var document = state(Name("\(number)"), Revision("r"))
                document.parent = parent
                try apply(change(ItemID(high: 1, low: UInt64(number)), nil, document), &applier)
            }
            return try write.read.pending(scope: scope)
        }
        #expect(pending.contains(absent))
        #expect(!pending.contains(here))
        #expect(pending.count == 5)
    }

    private func logApplier(
        _ write: CatalogWriter, on device: TestDevice, objectsMove: Bool
    ) -> LogApplier {
        LogApplier(
            write: write, scope: device.scope, objectsMove: objectsMove, device: device.device)
    }

    private func apply(_ change: Change, _ applier: inout LogApplier) throws(DocFSError) {
        let record = LogRecord(
            device: DeviceID(high: 0, low: 1), deviceName: "bob", time: 0, changes: [change])
        if let objection = try applier.apply(change, from: record) { throw .corrupt(objection) }
    }

    private func change(_ item: ItemID, _ before: ItemState?, _ after: ItemState?) -> Change {
        Change(
            operation: OperationID(high: 0, low: 1), item: item,
            before: before.map(Place.init(of:)), after: after)
    }

    private func directory(_ name: Name, in parent: ItemID) -> ItemState {
        ItemState(
            parent: parent, name: name, metadata: Metadata(mode: 0o755, modified: .zero),
            content: .directory)
    }

    private func state(_ name: Name, _ revision: Revision) -> ItemState {
        ItemState(
            parent: .root, name: name, metadata: Metadata(mode: 0o644, modified: .zero),
            content: .file(Body(size: 5, digest: nil, revision: revision)))
    }
}
