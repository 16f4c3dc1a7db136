import DocFS
import TestSupport
import Testing

/// A place that a device may only read, and where nobody has made a container.
extension TwoDeviceTests {
    private static var stores: [StoreCapabilities] { [.whole, .objects] }

    /// A device that may only read what is in a store.
    private struct Reader {
        let store: MemoryStore
        let way: FaultyStore
        let logs: TestDirectory
        let device: TestDevice

        /// - Parameter texts: what other programs have put there.
        init(_ store: MemoryStore, _ texts: [ItemPath: String] = [:]) async throws {
            self.store = store
            way = FaultyStore(store)
            way.setWritesRefused("not to you")
            try await store.attach(create: true)
            for (path, text) in texts { try store.writeFromOutside(path, Array(text.utf8)) }
            logs = try TestDirectory()
            device = try TestDevice("alice", store: Self.private(way, logs))
            await device.engine.start()
        }

        private static func `private`(_ way: FaultyStore, _ logs: TestDirectory) -> PrivateLogStore
        {
            PrivateLogStore(way, logAt: logs.path + "/log", of: .fresh)
        }

        /// The device, which has stopped, at its next start.
        func restarted() async throws -> TestDevice {
            let again = try device.restarted(on: Self.private(way, logs))
            await again.engine.start()
            return again
        }
    }

    private func isReadOnly(_ device: TestDevice) -> Bool {
        device.catalog.bulletin.health(of: device.scope.id).isReadOnly
    }

    private func shows(_ tree: [String: String], _ device: TestDevice) async throws {
        try await eventually("\(tree) is shown") { try await device.tree() == tree }
    }

    @Test(arguments: stores)
    func whatMayOnlyBeReadIsShownWithoutAContainer(_ capabilities: StoreCapabilities) async throws {
        // S12, S32
        let store = MemoryStore(capabilities: capabilities)
        let alice = try await Reader(store, ["doc": "one", "other": "text"])
        try await shows(["doc": "one", "other": "text"], alice.device)
        #expect(isReadOnly(alice.device))
        try store.writeFromOutside("doc", Array("two, longer".utf8))
        try store.writeFromOutside("new", Array("new".utf8))
        try store.removeFromOutside("other")
        try await shows(["doc": "two, longer", "new": "new"], alice.device)
        await alice.device.engine.stop()
        let again = try await alice.restarted()
        try store.writeFromOutside("later", Array("later".utf8))
        try await eventually("and after a start") {
            try await again.tree().keys.contains("later")
        }
        #expect(isReadOnly(again))
        await again.engine.stop()
        #expect(alice.way.triedInVain.isEmpty)
        #expect(try await store.head(".docfs/container.json") == nil)
    }

    @Test(arguments: stores)
    func aPrivateLogBecomesThatOfAContainer(_ capabilities: StoreCapabilities) async throws {
        // S12
        let store = MemoryStore(capabilities: capabilities)
        let alice = try await Reader(store, ["doc": "one", "other": "text"])
        try await shows(["doc": "one", "other": "text"], alice.device)
        try alice.device.bring("one", of: "doc")
        await alice.device.engine.stop()
        alice.way.setWritesRefused(nil)
        let again = try await alice.restarted()
        try await eventually("it can be written") { !isReadOnly(again) }
        #expect(try await store.head(".docfs/container.json") != nil)
        // What was here is the same document still.
        #expect(try again.isHere("doc"))
        try again.write("doc", "of alice")
        let bob = try TestDevice("bob", store: store)
        await bob.engine.start()
        #expect(try await settle(again, bob) == ["doc": "of alice", "other": "text"])
        try bob.write("other", "of bob")
        #expect(try await settle(again, bob) == ["doc": "of alice", "other": "of bob"])
        await stop(again, bob)
    }

    @Test(arguments: stores)
    func aContainerCountsOnceThereIsOne(_ capabilities: StoreCapabilities) async throws {
        // S12, S23
        let store = MemoryStore(capabilities: capabilities)
        let alice = try await Reader(store, ["doc": "one", "other": "text"])
        try await shows(["doc": "one", "other": "text"], alice.device)
        await alice.device.engine.stop()
        let bob = try TestDevice("bob", store: store)
        await bob.engine.start()
        try await shows(["doc": "one", "other": "text"], bob)
        try bob.write("of bob", "text")
        try bob.remove("other")
        try await settle(bob)
        let again = try await alice.restarted()
        try await shows(["doc": "one", "of bob": "text"], again)
        #expect(isReadOnly(again))
        #expect(alice.way.triedInVain.isEmpty)
        // From then on it is a container like any other.
        alice.way.setWritesRefused(nil)
        await again.engine.stop()
        let late = try again.restarted()
        await late.engine.start()
        try await eventually("it can be written") { !isReadOnly(late) }
        try late.write("doc", "of alice")
        #expect(try await settle(late, bob) == ["doc": "of alice", "of bob": "text"])
        await stop(late, bob)
    }

    @Test(arguments: stores)
    func whatHasMadeAContainerMeanwhileIsNotWrittenOver(_ capabilities: StoreCapabilities)
        async throws
    {
        // S12, S23
        let store = MemoryStore(capabilities: capabilities)
        let alice = try await Reader(store, ["doc": "one"])
        try await shows(["doc": "one"], alice.device)
        let bob = try TestDevice("bob", store: store)
        let (isHeld, isAsked) = (Flag(), Flag())
        isHeld.set(true)
        // Her first record is on its way when he makes his container.
        alice.way.setPause { verb, path in
            guard verb == .write, path.isAtOrBelow(".docfs/log") else { return }
            isAsked.set(true)
            await isHeld.wait()
        }
        await alice.device.engine.stop()
        alice.way.setWritesRefused(nil)
        let again = try await alice.restarted()
        try await eventually("she makes one") { isAsked.isSet }
        await bob.engine.start()
        try await shows(["doc": "one"], bob)
        try bob.write("of bob", "text")
        try await settle(bob)
        isHeld.set(false)
        try await eventually("it can be written") { !isReadOnly(again) }
        #expect(try await settle(again, bob) == ["doc": "one", "of bob": "text"])
        await stop(again, bob)
    }

    @Test(arguments: [true, false])
    func anotherDiskInItsPlaceIsNotBelieved(_ isContainer: Bool) async throws {  // S23
        let store = MemoryStore(capabilities: .whole)
        let alice = try await Reader(store, ["doc": "one", "other": "text"])
        try await shows(["doc": "one", "other": "text"], alice.device)
        try alice.device.bring("one", of: "doc")
        await alice.device.engine.stop()
        for path in ["doc", "other"] as [ItemPath] { try store.removeFromOutside(path) }
        try store.writeFromOutside("of another", Array("text".utf8))
        if isContainer {
            let bob = try TestDevice("bob", store: store)
            await bob.engine.start()
            try await shows(["of another": "text"], bob)
            try await settle(bob)
            await bob.engine.stop()
        }
        alice.way.setWritesRefused(nil)
        let again = try await alice.restarted()
        let health = { again.catalog.bulletin.health(of: again.scope.id) }
        try await eventually("its documents wait for the user") { health().heldDeletes == 2 }
        #expect(!health().isOnline && isReadOnly(again))
        #expect(try again.isHere("doc"))
        if !isContainer { #expect(try await store.head(".docfs/container.json") == nil) }
        again.engine.confirmDeletes()
        try await shows(["of another": "text"], again)
        try await eventually("it can be written") { !isReadOnly(again) }
        #expect(health().heldDeletes == 0)
        await again.engine.stop()
    }

    @Test func theDiskThatComesBackIsTheOneThatItWas() async throws {  // S23
        let store = MemoryStore(capabilities: .whole)
        let alice = try await Reader(store, ["doc": "one", "common": "text"])
        try await shows(["doc": "one", "common": "text"], alice.device)
        try alice.device.bring("one", of: "doc")
        await alice.device.engine.stop()
        // A container lies in its place for a while, with a name in common.
        let other = MemoryStore()
        try await other.attach(create: true)
        // Two stores count alike: no revision is to be of both.
        for _ in 0..<100 { try other.writeFromOutside("counted", []) }
        try other.removeFromOutside("counted")
        let bob = try TestDevice("bob", store: other)
        await bob.engine.start()
        for name in ["common", "of bob", "more of bob"] { try bob.write(name, "of bob") }
        try await settle(bob)
        await bob.engine.stop()
        let away = try alice.device.restarted(
            on: PrivateLogStore(other, logAt: alice.logs.path + "/log", of: .fresh))
        await away.engine.start()
        let health = { away.catalog.bulletin.health(of: away.scope.id) }
        try await eventually("its documents wait for the user") { health().heldDeletes == 2 }
        await away.engine.stop()
        let again = try await alice.restarted()
        try await eventually("it is back") {
            let health = again.catalog.bulletin.health(of: again.scope.id)
            return health.isOnline && health.heldDeletes == 0
        }
        #expect(try again.isHere("doc"))
        try await shows(["doc": "one", "common": "text"], again)
        await again.engine.stop()
    }
}
