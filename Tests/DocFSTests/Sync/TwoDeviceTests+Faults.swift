import DocFS
import Glibc
import Synchronization
import TestSupport
import Testing

/// What a network may do to one device while another goes on: found by `scripts/simulate`.
extension TwoDeviceTests {
    /// Alice, whose way to the store has faults, and Bob, whose has none.
    func faultyPair(on store: MemoryStore = MemoryStore()) async throws
        -> (TestDevice, FaultyStore, TestDevice)
    {
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        let bob = try TestDevice("bob", store: store)
        await alice.engine.start()
        await bob.engine.start()
        return (alice, way, bob)
    }

    @Test func whatWasNeverSentIsToldWhenItComesAndWhenItGoes() async throws {  // S29
        let (alice, way, bob) = try await faultyPair()
        let bulletin = alice.catalog.bulletin
        bulletin.watch()
        let isTold = { (kind: DocumentEvent.Kind) in
            bulletin.events(from: 0).events.contains {
                $0.kind == kind && $0.path == "refused" && $0.author == .here
            }
        }
        way.setFaults { verb, path in
            verb == .write && path == "refused" ? .refused(.storeFull) : nil
        }
        try alice.write("refused", "one")
        try await eventually("it is told of") { isTold(.made) && isTold(.savingError) }
        try alice.remove("refused")
        try await eventually("that it has gone, too") { isTold(.deleted) }
        #expect(!isTold(.uploaded))
        await stop(alice, bob)
    }

    /// By an editor that removes the document and makes it anew, while the last save is being sent.
    @Test func aSaveDuringAnUploadIsNoRemoval() async throws {  // S14, S29
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let bulletin = alice.catalog.bulletin
        bulletin.watch()
        let isHeld = Mutex(false)
        let isFree = Mutex(false)
        way.setPause { verb, path in
            guard verb == .write, path == "doc" else { return }
            isHeld.withLock { $0 = true }
            // The upload takes as long as the test wants.
            while !isFree.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
        }
        try alice.write("doc", "two")
        try await eventually("it is being sent") { isHeld.withLock { $0 } }
        try alice.remove("doc")
        try alice.write("doc", "three")
        isFree.withLock { $0 = true }
        #expect(try await settle(alice, bob) == ["doc": "three"])
        let kinds = {
            bulletin.events(from: 0).events.filter { $0.path == "doc" && $0.author == .here }
                .map(\.kind)
        }
        // Both are one edit, where they are made in one go.
        try await eventually("it is told of: \(kinds())") { kinds().contains(.edited) }
        #expect(!kinds().contains(.deleted) && !kinds().contains(.made))
        await stop(alice, bob)
    }

    /// Another program writes a document, and both devices show it.
    private func write(
        from outside: MemoryStore, _ path: ItemPath, _ text: String, _ devices: TestDevice...
    ) async throws {
        try outside.writeFromOutside(path, Array(text.utf8))
        for device in devices {
            try await eventually("it is seen") {
                try await device.tree()[path.description] == text
            }
        }
    }

    @Test func whatMovedWithADirectoryInVainIsFound() async throws {  // S25
        let (bob, way, alice) = try await faultyPair()
        try alice.makeDirectory("d")
        try alice.makeDirectory("d/f")
        try alice.write("d/f/doc", "text")
        try await settle(alice, bob)
        // He moves it, nobody hears of that, and she makes a directory where it is now.
        way.cut { $0 == .move && $1 == "d" }
        try bob.rename("d", "e")
        try await eventually("it is moved") { try await way.store.head("e") != nil }
        try alice.makeDirectory("e")
        try await settle(alice)
        way.setFaults { _, _ in nil }
        try await eventually("all that is in the store is told of") {
            let tree = try await alice.tree()
            guard try alice.isAtRest, try bob.isAtRest, try await bob.tree() == tree else {
                return false
            }
            for path in ["d/", "d/f/", "d/f/doc", "e/", "e/f/", "e/f/doc"] {
                let isThere = try await way.store.head(ItemPath(path)) != nil
                if isThere != (tree[path] != nil) { return false }
            }
            return tree.values.contains("text")
        }
        await stop(alice, bob)
    }

    @Test func anOutcomeThatStaysUnknownIsSettledLater() async throws {  // S13
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let faults = Atomic(2)
        way.setFaults { verb, _ in
            guard verb == .write || verb == .settle,
                faults.subtract(1, ordering: .relaxed).newValue >= 0
            else { return nil }
            return .refused(.outcomeUnknown("500"))
        }
        try alice.write("doc", "two")
        #expect(try await settle(alice, bob) == ["doc": "two"])
        await stop(alice, bob)
    }

    @Test func whatWasRenamedOverADocumentThatWasBeingSentIsSentToo() async throws {  // S14
        let (alice, way, bob) = try await faultyPair()
        try alice.write("new", "what is to be in it")
        try await settle(alice, bob)
        way.cut { $0 == .write && $1 == "doc" }
        try alice.write("doc", "to be replaced")
        try await eventually("doc is sent, and not recorded") {
            !alice.catalog.bulletin.health(of: alice.scope.id).isOnline
        }
        try alice.renameOver("new", "doc")
        way.setFaults { _, _ in nil }
        try await eventually("bob has it") {
            guard try alice.isAtRest, try bob.isAtRest else { return false }
            return try await bob.tree() == ["doc": "what is to be in it"]
        }
        #expect(try await alice.tree() == bob.tree())
        await stop(alice, bob)
    }

    /// Alice saves, while she is away, what Bob saved and replaced: her bytes were everybody's, and
    /// are no conflict with what he made of them.
    @Test func bytesConvergeWithAVersionThatWasReplaced() async throws {  // S16
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        way.setFaults { _, _ in .refused(.offline("cut off")) }
        try alice.write("doc", "the same")
        try bob.write("doc", "the same")
        try await settle(bob)
        try bob.write("doc", "three")
        try await settle(bob)
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["doc": "three"])
        await stop(alice, bob)
    }

    @Test func whatAnotherDeviceRecordedFirstIsNoEditOfItsAuthor() async throws {  // S16
        let (alice, way, bob) = try await faultyPair()
        try alice.write("other", "there")
        try await settle(alice, bob)
        // Alice's document gets there, and then nothing of hers does for a while.
        way.cut { $0 == .write && $1 == "doc" }
        try alice.write("doc", "alice's")
        try await eventually("bob has it") { try await bob.tree()["doc"] == "alice's" }
        try bob.write("doc", "bob's, who saw alice's")
        try await eventually("bob sent it") { try bob.isAtRest }
        way.setFaults { _, _ in nil }
        #expect(
            try await settle(alice, bob) == ["doc": "bob's, who saw alice's", "other": "there"])
        await stop(alice, bob)
    }

    @Test(
        "S14: a rename to a backup that another device was quicker to record is no move of theirs")
    func renamedAwayAndRecordedByAnother() async throws {
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let isCut = way.cut { verb, _ in verb == .move }
        try alice.rename("doc", "doc~")
        try await eventually("it is moved") { isCut() }
        await alice.engine.stop()
        try await eventually("bob has recorded it") { try bob.isRecorded("doc~") }
        way.setFaults { _, _ in nil }
        try alice.write("doc", "two!")
        let again = try alice.restarted()
        await again.engine.start()
        #expect(try await settle(again, bob) == ["doc": "two!", "doc~": "one"])
        try again.remove("doc~")
        #expect(try await settle(again, bob) == ["doc": "two!"])
        await stop(again, bob)
    }

    @Test("A move that another device was quicker to record does not take back the next one")
    func movedOnAndRecordedByAnother() async throws {
        let (alice, way, bob) = try await faultyPair()
        try alice.write("a", "text")
        try await settle(alice, bob)
        let isCut = way.cut { verb, _ in verb == .move }
        try alice.rename("a", "b")
        try await eventually("it is moved") { isCut() }
        try await eventually("bob has recorded it") { try bob.isRecorded("b") }
        try alice.rename("b", "c")
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["c": "text"])
        await stop(alice, bob)
    }

    @Test("S16: a save that another device was quicker to record is no conflict with the next one")
    func savedAgainAndRecordedByAnother() async throws {
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        way.cut { $0 == .write && $1 == "doc" }
        try alice.write("doc", "two!")
        try await eventually("bob has it") { (try? await bob.tree()["doc"]) == "two!" }
        try await eventually("bob has recorded it") { try bob.isAtRest }
        try alice.write("doc", "three")
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["doc": "three"])
        await stop(alice, bob)
    }

    @Test("A mode that another device was quicker to record does not take back the next one")
    func describedAgainAndRecordedByAnother() async throws {
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let isCut = way.cut { verb, _ in verb == .describe }
        func mode(_ device: TestDevice) throws -> UInt32? {
            try device.catalog.read { (read) throws(DocFSError) in
                try read.child("doc", of: device.scope.root).map { $0.mode & 0o777 }
            }
        }
        try alice.changeMode("doc", 0o600)
        try await eventually("it is set") { isCut() }
        try await eventually("bob has recorded it") { try mode(bob) == 0o600 }
        try alice.changeMode("doc", 0o640)
        way.setFaults { _, _ in nil }
        try await settle(alice, bob)
        try await eventually("both have the last one") {
            try [mode(alice), mode(bob)] == [0o640, 0o640]
        }
        await stop(alice, bob)
    }

    @Test func anOldBodyIsAVersionWhenAnotherDeviceRecordedTheNewOne() async throws {  // S19
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        way.cut { $0 == .write && $1 == "doc" }
        try alice.write("doc", "two")
        try await eventually("bob has it") { (try? await bob.tree()["doc"]) == "two" }
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["doc": "two"])
        #expect(try alice.versions(of: "doc").map(\.size) == [3])
        await stop(alice, bob)
    }

    @Test func aBodyInTheTrashIsFoundWhenAnotherDeviceRecordedItsRemoval() async throws {
        let (alice, way, bob) = try await faultyPair()
        try bob.write("doc", "to be replaced")
        try bob.write("new", "what is to be in it")
        try await settle(alice, bob)
        // Alice's `mv new doc`: the old place is gone before the copy is made, and then nothing of
        // hers gets there until Bob has recorded that it is gone.
        way.cut(refusing: (.copy, .notFound)) { $0 == .move && $1 == "new" }
        try alice.renameOver("new", "doc")
        try await eventually("bob misses it") { try await bob.tree()["new"] == nil }
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["doc": "what is to be in it"])
        await stop(alice, bob)
    }

    @Test(arguments: zip([true, false], [false, true]))
    func aBodyInTheTrashIsFoundByWhoRecordedItsRemovalFirst(
        _ objectsMove: Bool, _ isMadeAnew: Bool
    ) async throws {  // S19
        let store = objectsMove ? MemoryStore() : objects
        let (way, his) = (FaultyStore(store), FaultyStore(store))
        let alice = try TestDevice("alice", store: way)
        let bob = try TestDevice("bob", store: his)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "to be replaced")
        try alice.write("new", "what is to be in it")
        try await settle(alice, bob)
        // Alice's `rm new` gets there, and then nothing of hers until Bob has recorded that it is
        // gone. He has none of its bytes, and makes another document of them.
        let isCut = way.cut { ($0 == .move || $0 == .remove) && $1 == "new" }
        his.setFaults { _, _ in .refused(.offline("cut off")) }
        try bob.renameOver("new", "doc")
        if isMadeAnew { try bob.write("new", "anew") }
        try alice.remove("new")
        try await eventually("it is in the trash") { isCut() }
        his.setFaults { _, _ in nil }
        try await eventually("bob tells that it is gone") {
            if isMadeAnew { return try await way.store.head("new") != nil }
            return try !bob.isRecorded("new")
        }
        way.setFaults { _, _ in nil }
        let told = ["doc": "what is to be in it"]
        let anew = isMadeAnew ? ["new": "anew"] : [:]
        #expect(try await settle(alice, bob) == told.merging(anew) { $1 })
        if !isMadeAnew {
            #expect(try alice.trash.map(\.path) == ["new"])
            #expect(try bob.trash.map(\.path) == ["new"])
        }
        await stop(alice, bob)
    }

    @Test func aForeignDocumentThatOthersRecordedUnderItsNewNameIsTheSame() async throws {  // S14
        let (alice, way, bob) = try await faultyPair()
        try await settle(alice, bob)
        try await write(from: way.store, "doc", "another program's", alice, bob)
        try await settle(alice, bob)
        // Alice's rename gets there, and then nothing of hers does until Bob has recorded what he
        // found; meanwhile she makes a new document under the old name.
        let isCut = way.cut { verb, _ in verb == .move }
        try alice.rename("doc", "renamed")
        try await eventually("it moved") { isCut() }
        try alice.write("doc", "alice's")
        try await eventually("bob has it under its new name alone") {
            // While it is under none, nobody can read it.
            guard let tree = try? await bob.tree() else { return false }
            return tree["renamed"] != nil && tree["doc"] == nil
        }
        way.setFaults { _, _ in nil }
        #expect(
            try await settle(alice, bob) == ["doc": "alice's", "renamed": "another program's"])
        await stop(alice, bob)
    }

    @Test func aForeignDocumentThatWasOnlyRenamedIsNoConflictWithItself() async throws {  // S14
        let (alice, way, bob) = try await faultyPair()
        try await settle(alice, bob)
        try await write(from: way.store, "doc", "another program's", alice, bob)
        try await settle(alice, bob)
        way.cut { verb, _ in verb == .move }
        try alice.rename("doc", "renamed")
        try await eventually("bob has it under its new name") {
            // While it is under none, nobody can read it.
            (try? await bob.tree())?["renamed"] != nil
        }
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["renamed": "another program's"])
        try alice.write("doc", "alice's")
        #expect(
            try await settle(alice, bob) == ["doc": "alice's", "renamed": "another program's"])
        await stop(alice, bob)
    }

    @Test func anIntentThatTheDiskDoesNotKeepIsNone() async throws {  // S13
        let (alice, bob) = try await pair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let disk = try UnkeptLog(of: alice.directory + "/catalog.sqlite")
        try alice.write("doc", "two")
        try await eventually("it is told") { try alice.error(of: "doc") != nil }
        #expect(try alice.intents == 0)
        #expect(try await bob.tree() == ["doc": "one"])
        disk.mend()
        #expect(try await settle(alice, bob) == ["doc": "two"])
        await stop(alice, bob)
    }

    @Test func aBodyInTheTrashIsFoundWhenItsRemovalIsVoid() async throws {
        let (alice, way, bob) = try await faultyPair()
        try bob.write("doc", "to be replaced")
        try bob.write("new", "what is to be in it")
        try await settle(alice, bob)
        // Alice's `mv new doc`, as above; but another program takes the name that became free.
        way.cut(refusing: (.copy, .notFound)) { $0 == .move && $1 == "new" }
        try alice.renameOver("new", "doc")
        try await eventually("the name is free") { try await way.store.head("new") == nil }
        try way.store.writeFromOutside("new", Array("foreign".utf8))
        try await eventually("bob sees it") { try await bob.tree()["new"] == "foreign" }
        way.setFaults { _, _ in nil }
        #expect(
            try await settle(alice, bob) == ["doc": "what is to be in it", "new": "foreign"])
        await stop(alice, bob)
    }

    @Test func whatLiesInADirectoryThatIsRecordedLateIsSeen() async throws {
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "there")
        try await settle(alice, bob)
        way.setPause { verb, path in
            // Records take long.
            guard verb == .write, path.components.first == ".docfs" else { return }
            try? await Task.sleep(for: .milliseconds(900))
        }
        try alice.makeDirectory("notes")
        try await eventually("it is made") { try await way.store.head("notes") != nil }
        // Bob looks at it while he knows nothing of its directory, and Alice never does.
        try way.store.writeFromOutside("notes/new", Array("foreign".utf8))
        await stop(alice)
        try await eventually("bob sees it") { try await bob.tree()["notes/new"] == "foreign" }
        await stop(bob)
    }

    /// Here alone, and nobody else looks.
    @Test func whatLiesInADirectoryOfOnesOwnThatIsRecordedLateIsSeen() async throws {
        let way = FaultyStore(MemoryStore())
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.write("doc", "there")
        try await settle(alice)
        let isFree = Mutex(false)
        defer { isFree.withLock { $0 = true } }
        way.setPause { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return }
            // The record is held until the test lets it go.
            while !isFree.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
        }
        try alice.makeDirectory("notes")
        try await eventually("it is made") { try await way.store.head("notes") != nil }
        try way.store.writeFromOutside("notes/new", Array("foreign".utf8))
        #expect(try !alice.isRecorded("notes"))
        isFree.withLock { $0 = true }
        try await eventually("she sees it") { try await alice.tree()["notes/new"] == "foreign" }
        await stop(alice)
    }

    /// What another program puts into a directory that its maker has yet to record, while nobody
    /// who could hear of it runs.
    @Test func whatLiesInADirectoryThatWasSeenBeforeItsRecordIsSeen() async throws {
        let (alice, way, bob) = try await faultyPair()
        try alice.write("doc", "there")
        try await settle(alice, bob)
        await stop(bob)
        let isFree = Mutex(false)
        way.setPause { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return }
            // The record is held until the test lets it go.
            while !isFree.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
        }
        try alice.makeDirectory("notes")
        try await eventually("it is made") { try await way.store.head("notes") != nil }
        // She ends with this record, and looks at nothing any more.
        async let end: Void = stop(alice)
        // Whatever fails below: before her end is waited for.
        defer { isFree.withLock { $0 = true } }
        try way.store.writeFromOutside("notes/new", Array("foreign".utf8))
        // He looks at all that is there, and waits for her record.
        let again = try bob.restarted()
        await again.engine.start()
        try await Task.sleep(for: .milliseconds(500))
        isFree.withLock { $0 = true }
        await end
        try await eventually("bob sees it") { try await again.tree()["notes/new"] == "foreign" }
        await stop(again)
    }

    /// What was moved without a record, and taken for new by others, is renamed over a document.
    @Test func aBodyIsFoundInTheDocumentThatOthersTookItFor() async throws {
        let (alice, way, bob) = try await faultyPair()
        try bob.write("doc", "one")
        try bob.write("other", "to be replaced")
        try await settle(alice, bob)
        way.cut { $0 == .move && $1 == "doc" }
        try alice.rename("doc", "moved")
        try await eventually("it moves") { try await way.store.head("moved") != nil }
        try way.store.writeFromOutside("doc", Array("foreign".utf8))
        try await eventually("bob takes it for new") {
            let tree = try await bob.tree()
            return tree["moved"] == "one" && tree["doc"] == "foreign"
        }
        try alice.renameOver("moved", "other")
        way.setFaults { _, _ in nil }
        let tree = try await settle(alice, bob)
        #expect(tree["doc"] == "foreign" && tree["other"] == "one", "\(tree)")
        await stop(alice, bob)
    }
}
