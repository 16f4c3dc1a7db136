import TestSupport
import Testing

@testable import DocFS

/// The change log is not the one that was read: nobody makes anything of it (S23).
extension TwoDeviceTests {
    private func problem(of device: TestDevice) -> String {
        device.catalog.bulletin.health(of: device.scope.id).problem ?? ""
    }

    private func trouble(of device: TestDevice) -> LogTrouble? {
        device.catalog.bulletin.health(of: device.scope.id).logTrouble
    }

    private func remove(_ number: UInt64, from store: MemoryStore) async throws {
        let path = ContainerLayout.record(number)
        let revision = try #require(try await store.head(path)?.revision)
        try await store.remove(path, expecting: revision)
    }

    private func records(of store: any CloudStore) async throws -> [UInt64] {
        try await Container(store: store, device: .fresh, deviceName: "reader").records()
    }

    /// Two devices that have read a log of some records.
    func readers(_ store: MemoryStore) async throws -> (TestDevice, TestDevice) {
        let alice = try TestDevice("alice", store: store, poll: 50_000_000)
        let bob = try TestDevice("bob", store: store, poll: 50_000_000)
        await alice.engine.start()
        await bob.engine.start()
        for number in 1...3 {
            try alice.write("doc", "\(number)")
            try await settle(alice, bob)
        }
        return (alice, bob)
    }

    @Test("A log whose last record goes while devices run is appended to by none of them")
    func endIsGone() async throws {
        for store in [MemoryStore(), objects] {
            let (alice, bob) = try await readers(store)
            let last = try #require(try await records(of: store).last)
            try await remove(last, from: store)
            try alice.write("alices", "a")
            try bob.write("bobs", "b")
            for device in [alice, bob] {
                try await eventually("\(device.name) notices") { trouble(of: device) == .wentBack }
                #expect(problem(of: device).contains("no record \(last)"))
            }
            #expect(try await records(of: store).last == last - 1)
            #expect(try await alice.tree()["doc"] == "3")
            await stop(alice, bob)
        }
    }

    @Test("A log from which a record in the middle is missing is not continued")
    func gap() async throws {
        let store = MemoryStore()
        let (alice, bob) = try await readers(store)
        await stop(alice, bob)
        let before = try await records(of: store)
        try await remove(2, from: store)
        let again = try alice.restarted()
        let carol = try TestDevice("carol", store: store, poll: 50_000_000)
        for device in [again, carol] {
            try device.write(device.name, "text")
            await device.engine.start()
            try await eventually("\(device.name) notices") { trouble(of: device) == .wentBack }
            #expect(problem(of: device).contains("no record 2"))
        }
        #expect(try await records(of: store) == before.filter { $0 != 2 })
        await stop(again, carol)
    }

    @Test("A record that follows another one than was read is not applied")
    func fork() async throws {
        let store = MemoryStore()
        let (alice, bob) = try await readers(store)
        let last = try #require(try await records(of: store).last)
        let record = LogRecord(
            device: .fresh, deviceName: "eve", time: 7, previous: SHA256.digest(of: []),
            changes: [])
        try store.writeFromOutside(
            ContainerLayout.record(last + 1), ContainerCoding.encode(record))
        for device in [alice, bob] {
            try await eventually("\(device.name) notices") { trouble(of: device) == .wentBack }
            #expect(problem(of: device).contains("record \(last + 1)"))
        }
        await stop(alice, bob)
    }

    @Test("A record that was read and is another one now is noticed before the next is appended")
    func another() async throws {
        let objects = objects
        let (alice, bob) = try await readers(objects)
        let last = try #require(try await records(of: objects).last)
        var record = try #require(
            try await Container(store: objects, device: .fresh, deviceName: "reader").record(last))
        record.time += 1
        try await remove(last, from: objects)
        try objects.writeFromOutside(ContainerLayout.record(last), ContainerCoding.encode(record))
        try alice.write("alices", "a")
        try await eventually("alice notices") { trouble(of: alice) == .wentBack }
        #expect(try await records(of: objects).last == last)
        await stop(alice, bob)
    }
}
