import TestSupport
import Testing

@testable import DocFS

/// The way out where the change log is not the one that was read (S23).
extension TwoDeviceTests {
    private func health(of device: TestDevice) -> ScopeHealth {
        device.catalog.bulletin.health(of: device.scope.id)
    }

    private func remove(_ path: ItemPath, from store: MemoryStore) async throws {
        let revision = try #require(try await store.head(path)?.revision)
        try await store.remove(path, expecting: revision)
    }

    private func lastRecord(of store: any CloudStore) async throws -> UInt64 {
        try #require(
            try await Container(store: store, device: .fresh, deviceName: "reader").records().last)
    }

    private func mend(_ device: TestDevice, _ repair: LogRepair) async throws {
        try device.engine.mendLog(repair)
        try await eventually("\(device.name) has mended the log") {
            !health(of: device).isRepairing
        }
    }

    @Test("A damaged record is mended by a device that has read it", arguments: ["", #"{"v":2"#])
    func damagedRecord(_ text: String) async throws {
        let store = MemoryStore()
        let (alice, bob) = try await readers(store)
        await bob.engine.stop()
        try alice.write("doc", "4")
        try await settle(alice)
        let number = try await lastRecord(of: store)
        try alice.write("doc", "5")
        try await settle(alice)
        try store.writeFromOutside(ContainerLayout.record(number), Array(text.utf8))
        let again = try bob.restarted()
        try again.write("bobs", "b")
        await again.engine.start()
        try await eventually("bob cannot read on") { health(of: again).logTrouble == .damaged }
        try await mend(alice, .check)
        #expect(health(of: alice).mended?.contains("record \(number)") == true)
        #expect(try await settle(alice, again) == ["doc": "5", "bobs": "b"])
        let carol = try TestDevice("carol", store: store, poll: 50_000_000)
        await carol.engine.start()
        try carol.write("carols", "c")
        #expect(
            try await settle(alice, carol) == ["doc": "5", "bobs": "b", "carols": "c"])
        try await mend(carol, .check)
        #expect(health(of: carol).mended == nil)
        await stop(alice, again, carol)
    }

    @Test("So is one that is the last of the log")
    func damagedLastRecord() async throws {
        let store = MemoryStore()
        let (alice, bob) = try await readers(store)
        await bob.engine.stop()
        try alice.write("doc", "4")
        try await settle(alice)
        let number = try await lastRecord(of: store)
        try store.writeFromOutside(ContainerLayout.record(number), [])
        let again = try bob.restarted()
        await again.engine.start()
        try await eventually("bob cannot read on") { health(of: again).logTrouble == .damaged }
        try await mend(alice, .check)
        try alice.write("doc", "5")
        #expect(try await settle(alice, again) == ["doc": "5"])
        await stop(alice, again)
    }

    @Test("Where nobody has read a damaged record, its documents are recorded once more")
    func recordThatNobodyHasRead() async throws {
        for store in [MemoryStore(), objects] {
            let (alice, bob) = try await readers(store)
            await bob.engine.stop()
            try alice.write("doc", "4")
            try alice.write("new", "n")
            try await settle(alice)
            let number = try await lastRecord(of: store)
            await alice.engine.stop()
            try store.writeFromOutside(ContainerLayout.record(number), [])
            let again = try bob.restarted()
            try again.write("bobs", "b")
            await again.engine.start()
            try await eventually("bob cannot read on") { health(of: again).logTrouble == .damaged }
            try await mend(again, .container)
            #expect(try await settle(again) == ["doc": "4", "new": "n", "bobs": "b"])
            // Alice has read another record there.
            let back = try alice.restarted()
            await back.engine.start()
            try await eventually("alice notices") { health(of: back).logTrouble == .wentBack }
            try await mend(back, .device)
            #expect(
                try await settle(again, back) == ["doc": "4", "new": "n", "bobs": "b"])
            await stop(again, back)
        }
    }

    @Test("A document that came back before the log was mended keeps nothing waiting")
    func restoredBeforeMending() async throws {
        let clock = StillClock()
        let store = MemoryStore()
        let alice = try TestDevice("alice", store: store, clock: clock)
        await alice.engine.start()
        try alice.write("doc", "new")
        try await clock.pass(seconds: 20)
        // Of the store's first second, so older than the log has it.
        try store.writeFromOutside("doc", Array("old".utf8))
        try await clock.pass(seconds: 1)
        try alice.engine.mendLog(.container)
        // Half of the minute after which it would no longer wait for rest.
        try await clock.pass(seconds: 30)
        #expect(!health(of: alice).isRepairing)
        #expect(try await alice.tree()["doc"] == "old")
        await alice.engine.stop()
    }
}
