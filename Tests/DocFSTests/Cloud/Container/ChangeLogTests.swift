import DocFS
import Testing

/// Records, as one device after the other appends them.
struct ChangeLogTests {
    private let way = FaultyStore(MemoryStore())

    private func container(_ name: String) async throws -> Container {
        var random = SystemRandomNumberGenerator()
        let container = Container(
            store: way, device: DeviceID(using: &random), deviceName: name)
        _ = try await container.attach(known: nil, new: ContainerID(using: &random))
        return container
    }

    // S13
    @Test(
        "A record that was there already when its sender asked again is as durable as any other",
        arguments: [DocFSError.refused, .exists])
    func sentTwice(_ answer: DocFSError) async throws {
        let alice = try await container("alice")
        way.setFaults { verb, _ in verb == .write ? .answered(answer) : nil }
        let record = try await alice.append([], as: 1, after: nil, time: 7)
        #expect(record == (try await alice.record(1)))
        #expect(record != nil)
        #expect(way.isDurable)
    }

    @Test("A number that another device has taken is not ours")
    func taken() async throws {
        let alice = try await container("alice")
        let bob = try await container("bob")
        let first = try await bob.append([], as: 1, after: nil, time: 7)
        #expect(try await alice.append([], as: 1, after: nil, time: 7) == nil)
        #expect(try await alice.record(1) == first)
    }
}
