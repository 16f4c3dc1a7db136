import DocFS
import TestSupport
import Testing

/// Stores that say why they do not, or do not say anything.
extension TwoDeviceTests {
    @Test func whyTheStoreIsOutOfReachIsWhatReadersAreTold() async throws {  // S32
        let way = FaultyStore(MemoryStore())
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.write("doc", "there")
        try await eventually("alice rests") { try alice.isAtRest }
        let errors: [(DocFSError, DocFSError)] = [
            (.credentialsRefused("expired"), .credentialsRefused("expired")),
            (.corrupt("no listing"), .corrupt("no listing")),
            (.offline("cut off"), .offline("cut off")),
            (.refused, .offline(DocFSError.refused.sentence)),
        ]
        for (error, told) in errors {
            way.setFaults { _, _ in .refused(error) }
            try await eventually("offline") { alice.engine.offlineReason == told }
            way.setFaults { _, _ in nil }
            try await eventually("online") { alice.engine.offlineReason == nil }
        }
        await alice.engine.stop()
    }

    @Test func whatWentUnseenFromANewDirectoryIsNotShown() async throws {  // Foreign
        let store = MemoryStore()
        let alice = try TestDevice("alice", store: store)
        await alice.engine.start()
        try await settle(alice)
        try await store.makeDirectory("known", metadata: .of(nil))
        try store.writeFromOutside("known/file", Array("text".utf8))
        try await eventually("it comes") { try await alice.tree()["known/file"] == "text" }
        try store.removeFromOutside("known/file", isMissed: true)
        // Whatever of it was found by then.
        for number in 0..<50 {
            let directory = ItemPath("d\(number)")
            try await store.makeDirectory(directory, metadata: .of(nil))
            for name in ["file", "stays"] {
                try store.writeFromOutside(directory.appending(Name(name)), Array("text".utf8))
            }
            // The pauses are as different as what syncing has come to.
            try await Task.sleep(for: .milliseconds(number))
            try store.removeFromOutside(directory.appending(Name("file")), isMissed: true)
        }
        var expected = ["known/": ""]
        for number in 0..<50 {
            expected["d\(number)/"] = ""
            expected["d\(number)/stays"] = "text"
        }
        let tree = expected
        try await eventually("only what is there is shown") {
            // What is shown and has gone cannot be read.
            (try? await alice.tree()) == tree
        }
        try await settle(alice)
        #expect(try await alice.tree() == tree)
        await alice.engine.stop()
    }

    @Test func oneDocumentsTroubleTakesNoOtherOutOfReach() async throws {  // S32
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.write("kept", "kept")
        try await settle(alice)
        way.setFaults { verb, path in
            let isRefused =
                switch (verb, path) {
                case (.head, "refused"), (.list, "closed"), (.remove, "kept"): true
                default: false
                }
            return isRefused ? .refused(.documentRefused("not yours")) : nil
        }
        try store.writeFromOutside("refused", Array("refused".utf8))
        try await store.makeDirectory("closed", metadata: .of(nil))
        try store.writeFromOutside("closed/inside", Array("inside".utf8))
        try store.writeFromOutside("fine", Array("fine".utf8))
        try alice.remove("kept")
        try await eventually("the others come") { try await alice.tree()["fine"] == "fine" }
        let words = "it is not deleted: the store refuses this document: not yours"
        try await eventually("the status tells of it") {
            let health = alice.catalog.bulletin.health(of: alice.scope.id)
            return health.failedDeletes == ["kept": words] && health.failedDeleteCount == 1
                && health.unlisted == ["closed": "not yours"]
        }
        #expect(alice.engine.offlineReason == nil)
        #expect(try await store.head("kept") != nil)
        // What is told of one by one leaves nothing that would have the directory looked at again.
        try store.writeFromOutside("closed/told", Array("told".utf8))
        try await eventually("it comes") { try await alice.tree()["closed/told"] == "told" }
        way.setFaults { _, _ in nil }
        try await eventually("all is well again") {
            try await alice.tree() == [
                "refused": "refused", "closed/": "", "closed/inside": "inside",
                "closed/told": "told", "fine": "fine",
            ]
        }
        try await eventually("nothing is told any more") {
            let health = alice.catalog.bulletin.health(of: alice.scope.id)
            return health.failedDeletes.isEmpty && health.failedDeleteCount == 0
                && health.unlisted.isEmpty
        }
        await stop(alice)
    }

    /// Has a document in the store whose record finds no room there.
    private func findNoRoom(_ device: TestDevice, _ way: FaultyStore) async throws {
        way.setFaults { verb, path in
            verb == .write && path.components.starts(with: [".docfs", "log"])
                ? .refused(.storeFull) : nil
        }
        try device.write("new", "has room")
        try await eventually("told") {
            device.catalog.bulletin.health(of: device.scope.id).problem == "the store is full"
        }
    }

    @Test func aRecordThatFindsNoRoomWaitsAndTheStoreIsReadAllTheSame() async throws {  // S32
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        let bob = try TestDevice("bob", store: store)
        await alice.engine.start()
        await bob.engine.start()
        try alice.write("doc", "there")
        try await settle(alice, bob)
        try await findNoRoom(alice, way)
        #expect(alice.engine.offlineReason == nil)
        try bob.write("doc", "news")
        try await eventually("news come") { try await alice.tree()["doc"] == "news" }
        way.setFaults { _, _ in nil }
        #expect(try await settle(alice, bob) == ["doc": "news", "new": "has room"])
        try await eventually("nothing is wrong any more") {
            alice.catalog.bulletin.health(of: alice.scope.id).problem == nil
        }
        await stop(alice, bob)
    }

    @Test func aRecordThatAnotherDeviceMadeNeedsNoRoomAnyMore() async throws {  // S32
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        let bob = try TestDevice("bob", store: store)
        await alice.engine.start()
        await bob.engine.start()
        try await findNoRoom(alice, way)
        try await eventually("bob records it") { try await bob.tree()["new"] == "has room" }
        try await eventually("nothing is wrong any more") {
            alice.catalog.bulletin.health(of: alice.scope.id).problem == nil
        }
        #expect(try await settle(alice, bob) == ["new": "has room"])
        await stop(alice, bob)
    }

    @Test func whatAStoreNeitherTakesNorRefusesIsToldOf() async throws {  // S32
        let store = MemoryStore()
        let way = FaultyStore(store)
        let alice = try TestDevice("alice", store: way)
        await alice.engine.start()
        try alice.write("doc", "there")
        try await eventually("alice rests") { try alice.isAtRest }
        way.setFaults { verb, path in
            verb == .write && path == "doc" ? .refused(.outcomeUnknown("silence")) : nil
        }
        try alice.write("doc", "not taken")
        try await eventually("told") { try alice.error(of: "doc") != nil }
        way.setFaults { _, _ in nil }
        try await eventually("alice rests") { try alice.isAtRest }
        #expect(try alice.error(of: "doc") == nil)
        await alice.engine.stop()
    }
}
