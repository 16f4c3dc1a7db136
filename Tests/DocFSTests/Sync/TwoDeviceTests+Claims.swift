import TestSupport
import Testing

@testable import DocFS

extension TwoDeviceTests {
    @Test func aRoundThatFailsKeepsNoClaim() async throws {  // S9
        let (alice, bob) = try await pair()
        try alice.write("doc", "one")
        try await settle(alice, bob)
        let disk = try Connection(alice.directory + "/catalog.sqlite", forWriting: true)
        try disk.run(
            Query(
                "CREATE TRIGGER full BEFORE UPDATE ON local BEGIN SELECT RAISE(ABORT, 'full'); END")
        )
        try bob.write("doc", "two")
        try await eventually("alice tries to show it") { alice.replica.claims > 0 }
        try await eventually("it may be written again") { alice.replica.claimed.isEmpty }
        try disk.run(Query("DROP TRIGGER full"))
        #expect(try await settle(alice, bob) == ["doc": "two"])
        await stop(alice, bob)
    }
}
