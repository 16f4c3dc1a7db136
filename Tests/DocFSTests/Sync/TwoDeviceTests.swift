import DocFS
import TestSupport
import Testing

/// Two devices on one store, told as stories; the outcome must be the same on both.
@Suite struct TwoDeviceTests {
    /// Starts two devices that have seen each other.
    func pair(_ store: MemoryStore = MemoryStore()) async throws -> (
        TestDevice, TestDevice
    ) {
        let alice = try TestDevice("alice", store: FaultyStore(store))
        let bob = try TestDevice("bob", store: FaultyStore(store))
        await alice.engine.start()
        await bob.engine.start()
        return (alice, bob)
    }

    /// What devices of ``pair(_:)`` do while none of them reaches the store: nothing of it travels
    /// before all is done, however long that takes.
    func apart(_ devices: TestDevice..., act: () throws -> Void) throws {
        let ways = devices.compactMap { $0.store as? FaultyStore }
        try #require(ways.count == devices.count)
        for way in ways { way.setFaults { _, _ in .refused(.offline("apart")) } }
        defer { for way in ways { way.setFaults { _, _ in nil } } }
        try act()
    }

    /// What cannot be read meanwhile is not there yet.
    func eventually(
        _ what: @autoclosure () -> String, file: String = #fileID, line: Int = #line,
        _ condition: () async throws -> Bool
    ) async throws {
        try await TestSupport.eventually(
            what(), isPatient: true, file: file, line: line, condition)
    }

    /// Waits until both devices agree and have nothing to do, then compares them.
    @discardableResult
    func settle(_ devices: TestDevice...) async throws -> [String: String] {
        var trees: [[String: String]] = []
        let pause: UInt64 = 50_000_000
        // What another program did is to be told first.
        try await Task.sleep(nanoseconds: pause)
        try await TestSupport.eventually("they agree: \(trees)", every: pause) {
            for device in devices where try !device.isAtRest { return false }
            trees = []
            do {
                for device in devices { trees.append(try await device.tree()) }
            } catch DocFSError.revisionGone {
                // What the store has lost, and nobody has noticed yet.
                return false
            } catch DocFSError.offline {
                // For a fault of before.
                return false
            }
            return trees.allSatisfy { $0 == trees[0] }
        }
        return trees.first ?? [:]
    }

    func stop(_ devices: TestDevice...) async {
        for device in devices { await device.engine.stop() }
    }

    @Test func aDocumentArrives() async throws {
        let (alice, bob) = try await pair()
        try alice.makeDirectory("notes")
        try alice.write("notes/one.txt", "hello")
        let tree = try await settle(alice, bob)
        #expect(tree == ["notes/": "", "notes/one.txt": "hello"])
        try bob.write("notes/one.txt", "hello from bob")
        #expect(try await settle(alice, bob)["notes/one.txt"] == "hello from bob")
        await stop(alice, bob)
    }

    @Test func renamesAndDeletesTravel() async throws {  // S19, S25
        let (alice, bob) = try await pair()
        try alice.makeDirectory("a")
        try alice.write("a/x", "x")
        try alice.write("y", "y")
        try await settle(alice, bob)
        try bob.rename("a", "b")
        try bob.remove("y")
        #expect(try await settle(alice, bob) == ["b/": "", "b/x": "x"])
        await stop(alice, bob)
    }

    @Test func anotherDeviceIsQuickerToRecordWhatMovedOn() async throws {  // S24
        let (alice, bob) = try await pair()
        try alice.write("doc", "x")
        try await settle(alice, bob)
        let item = try alice.handOver("doc")
        try bob.remove("doc")
        try await eventually("it is forgotten") {
            try alice.catalog.read { (read) throws(DocFSError) in
                try read.handover(of: item, scope: alice.scope.id) == nil
            }
        }
        await stop(alice, bob)
    }

    @Test func twoEditsLeaveOneSibling() async throws {  // S16
        let (alice, bob) = try await pair()
        try alice.write("doc.txt", "base")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try alice.write("doc.txt", "from alice")
            try bob.write("doc.txt", "from bob, longer")
        }
        let tree = try await settle(alice, bob)
        #expect(tree.count == 2)
        #expect(Set(tree.values) == ["from alice", "from bob, longer"])
        #expect(tree.keys.contains { $0.hasPrefix("doc (conflict from ") && $0.hasSuffix(").txt") })
        await stop(alice, bob)
    }

    /// Bob's save of `text` gets into a conflict with what Alice saved meanwhile.
    private func conflict(_ alice: TestDevice, _ bob: TestDevice, _ text: String) async throws {
        let way = try #require(bob.store as? FaultyStore)
        way.setFaults { _, _ in .refused(.offline("apart")) }
        try bob.write("doc", text)
        try alice.write("doc", "instead of " + text)
        try await settle(alice)
        way.setFaults { _, _ in nil }
        try await settle(alice, bob)
    }

    @Test func conflictsOfABurstGoIntoOneSiblingUntilSomebodyLooks() async throws {  // S14a
        let (alice, bob) = try await pair()
        try alice.write("doc", "begun")
        try await settle(alice, bob)
        let first = bob.catalog.bulletin.nextNumber
        for number in 1...3 { try await conflict(alice, bob, "number \(number)") }
        let conflicts = bob.catalog.bulletin.events(from: first).events
            .filter { $0.kind == .conflict }
        #expect(conflicts.count == 3, "each is told")
        var tree = try await bob.tree()
        #expect(tree.count == 2 && tree.values.contains("number 3"))

        let (row, made) = try bob.catalog.read { (read) throws(DocFSError) in
            guard let row = try read.child("doc", of: bob.scope.root),
                let made = try read.madeSibling(of: row.item, scope: row.scope)
            else { throw .notFound }
            return (row, made)
        }
        try bob.catalog.write { (write) throws(DocFSError) in
            try write.noteOpened(sibling: made.sibling, scope: row.scope)
        }
        // A program that has not read what arrived saves once more: the same piece of work.
        try bob.write("doc", "number 4", madeFrom: made.basis)
        tree = try await settle(alice, bob)
        #expect(tree.count == 2 && tree.values.contains("number 4"))
        // That somebody has looked is still known.
        try await conflict(alice, bob, "number 5")
        tree = try await bob.tree()
        #expect(tree.count == 3)
        #expect(tree.values.contains("number 4") && tree.values.contains("number 5"))
        await stop(alice, bob)
    }

    @Test func whoHasItOpenIsToldOnceOfEachNewerVersion() async throws {  // S9
        let (alice, bob) = try await pair()
        try alice.write("doc", "begun")
        try await settle(alice, bob)
        let first = bob.catalog.bulletin.nextNumber
        let told = {
            bob.catalog.bulletin.events(from: first).events.filter { $0.kind == .outdated }
        }
        let close = try bob.open("doc")
        let isOutdated = {
            !bob.catalog.bulletin.health(of: bob.scope.id).outdated.isEmpty
        }
        for number in 1...2 {
            #expect(isOutdated() == (number > 1))
            try alice.write("doc", "newer \(number)")
            try await eventually("it is told: \(told())") { told().count == number }
        }
        #expect(isOutdated())
        #expect(told().allSatisfy { $0.path == "doc" && $0.author == .device("alice") })
        // A description is no newer version.
        try alice.changeMode("doc", 0o600)
        try await eventually("it is described") {
            try bob.catalog.read { (read) throws(DocFSError) in
                guard let row = try read.child("doc", of: bob.scope.root) else {
                    throw .notFound
                }
                let state = try read.state(.remote, of: row.item, scope: row.scope)
                return state?.metadata.mode == 0o600
            }
        }
        // Nor is the next look, which comes each second.
        try await Task.sleep(nanoseconds: 1_200_000_000)
        #expect(told().count == 2)
        close()
        #expect(try await settle(alice, bob) == ["doc": "newer 2"])
        #expect(told().count == 2 && !isOutdated())
        await stop(alice, bob)
    }

    @Test func equalEditsMakeNoSibling() async throws {  // S16
        let (alice, bob) = try await pair()
        try alice.write("doc.txt", "base")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try alice.write("doc.txt", "the same")
            try bob.write("doc.txt", "the same")
        }
        #expect(try await settle(alice, bob) == ["doc.txt": "the same"])
        await stop(alice, bob)
    }

    // The simulation's seed 203: the change of the mode was planned and refused for ever.
    @Test func equalEditsUnderAnotherModeComeToRest() async throws {  // S16
        let (alice, bob) = try await pair()
        try alice.write("doc.txt", "base")
        try await settle(alice, bob)
        try alice.write("doc.txt", "the same")
        try await settle(alice)
        try bob.write("doc.txt", "the same")
        try bob.changeMode("doc.txt", 0o600)
        #expect(try await settle(alice, bob) == ["doc.txt": "the same"])
        await stop(alice, bob)
    }

    @Test func anEditBeatsADelete() async throws {  // S20
        let (alice, bob) = try await pair()
        try alice.write("doc.txt", "base")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try alice.remove("doc.txt")
            try bob.write("doc.txt", "edited")
        }
        #expect(try await settle(alice, bob) == ["doc.txt": "edited"])
        await stop(alice, bob)
    }

    @Test func aNewChildKeepsItsDirectory() async throws {  // S21
        let (alice, bob) = try await pair()
        try alice.makeDirectory("d")
        try alice.write("d/old", "old")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try bob.write("d/new", "new")
            try alice.remove("d/old")
            try alice.remove("d")
        }
        #expect(try await settle(alice, bob) == ["d/": "", "d/new": "new"])
        await stop(alice, bob)
    }

    @Test func twoMovesEndAtOnePlace() async throws {
        let (alice, bob) = try await pair()
        try alice.write("doc", "text")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try alice.rename("doc", "from-alice")
            try bob.rename("doc", "from-bob")
        }
        let tree = try await settle(alice, bob)
        #expect(tree.count == 1)
        #expect(tree.values.first == "text")
        await stop(alice, bob)
    }

    @Test func aMoveAndAnEditBothCount() async throws {
        let (alice, bob) = try await pair()
        try alice.write("doc", "text")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try alice.rename("doc", "moved")
            try bob.write("doc", "edited")
        }
        #expect(try await settle(alice, bob) == ["moved": "edited"])
        await stop(alice, bob)
    }

    @Test func bothCreateTheSameName() async throws {
        let (alice, bob) = try await pair()
        try await settle(alice, bob)
        try apart(alice, bob) {
            try alice.write("doc", "one")
            try bob.write("doc", "two!")
        }
        let tree = try await settle(alice, bob)
        #expect(Set(tree.values) == ["one", "two!"])
        #expect(tree.count == 2)
        await stop(alice, bob)
    }

    @Test func bothMoveDirectoriesIntoEachOther() async throws {
        let (alice, bob) = try await pair()
        try alice.makeDirectory("a")
        try alice.makeDirectory("b")
        try alice.write("a/x", "x")
        try alice.write("b/y", "y")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try alice.rename("a", "b/a")
            try bob.rename("b", "a/b")
        }
        let tree = try await settle(alice, bob)
        #expect(tree.values.sorted() == ["", "", "x", "y"])
        await stop(alice, bob)
    }

    @Test func anotherProgramsChangesAreTaken() async throws {
        let store = MemoryStore()
        let (alice, bob) = try await pair(store)
        try alice.write("doc", "text")
        try await settle(alice, bob)
        try store.writeFromOutside("doc", Array("foreign".utf8))
        try store.writeFromOutside("new", Array("new".utf8))
        let tree = ["doc": "foreign", "new": "new"]
        try await eventually("both see it") {
            let trees = [try await alice.tree(), try await bob.tree()]
            return trees == [tree, tree]
        }
        #expect(try await settle(alice, bob) == tree)
        await stop(alice, bob)
    }

    @Test func aBodyThatIsNowhereIsReported() async throws {  // S32
        let store = MemoryStore()
        let (alice, bob) = try await pair(store)
        try alice.write("doc", "the document")
        try alice.write("new", "what is to be in it")
        try await settle(alice, bob)
        // Another program destroys the only body before anybody could copy it.
        try apart(alice, bob) {
            try bob.renameOver("new", "doc")
            try store.writeFromOutside(ItemPath("new"), Array("foreign".utf8))
        }
        try await eventually("it is reported") { try bob.error(of: "doc") != nil }
        #expect(try bob.error(of: "doc") == DocFSError.revisionGone.sentence)
        await stop(alice, bob)
    }

    @Test func namesChangePlaces() async throws {
        let (alice, bob) = try await pair()
        try alice.write("a", "A")
        try alice.write("b", "B")
        try await settle(alice, bob)
        try alice.rename("a", "t")
        try alice.rename("b", "a")
        try alice.rename("t", "b")
        #expect(try await settle(alice, bob) == ["a": "B", "b": "A"])
        await stop(alice, bob)
    }

    @Test func savingByRenamingAwayKeepsTheDocument() async throws {  // S14
        let (alice, bob) = try await pair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let before = try alice.item("doc")
        try apart(alice, bob) {
            try alice.rename("doc", "doc~")
            try alice.write("doc", "two!")
            try alice.remove("doc~")
        }
        #expect(try await settle(alice, bob) == ["doc": "two!"])
        #expect(try alice.item("doc") == before)
        #expect(try bob.item("doc") == before)
        #expect(try alice.versions(of: before) == 1)
        await stop(alice, bob)
    }
}

extension TestDevice {
    func item(_ path: String) throws -> ItemID {
        try catalog.read { (read) throws(DocFSError) in
            guard let row = try read.child(Name(path), of: scope.root) else { throw .notFound }
            return row.item
        }
    }

    func versions(of item: ItemID) throws -> Int {
        try catalog.read { (read) throws(DocFSError) in
            try read.versions(of: item, scope: scope.id).count
        }
    }
}
