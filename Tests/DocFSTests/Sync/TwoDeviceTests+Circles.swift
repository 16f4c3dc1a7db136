import TestSupport
internal import Testing

@testable import DocFS

/// Moves that wait for each other in the store: one has to step aside.
extension TwoDeviceTests {
    @Test func aDocumentGoesIntoADirectoryOfItsName() async throws {
        let (alice, bob) = try await pair()
        try alice.write("doc", "text")
        try await settle(alice, bob)
        try alice.makeDirectory("new")
        try alice.rename("doc", "new/doc")
        try alice.rename("new", "doc")
        #expect(try await settle(alice, bob) == ["doc/": "", "doc/doc": "text"])
        await stop(alice, bob)
    }

    @Test func aDirectoryMakesWayForWhatWasInIt() async throws {
        let (alice, bob) = try await pair()
        try alice.makeDirectory("doc")
        try alice.write("doc/doc", "text")
        try await settle(alice, bob)
        try alice.rename("doc/doc", "aside")
        try alice.remove("doc")
        try alice.rename("aside", "doc")
        #expect(try await settle(alice, bob) == ["doc": "text"])
        await stop(alice, bob)
    }

    @Test func aNewDirectoryTakesThePlaceOfAnother() async throws {
        let (alice, bob) = try await pair()
        try alice.makeDirectory("d")
        try alice.write("d/doc", "text")
        try await settle(alice, bob)
        try alice.makeDirectory("new")
        try alice.rename("d/doc", "new/doc")
        try alice.remove("d")
        try alice.rename("new", "d")
        #expect(try await settle(alice, bob) == ["d/": "", "d/doc": "text"])
        await stop(alice, bob)
    }

    @Test func whatWasMovedInKeepsADirectory() async throws {  // S21
        let (alice, bob) = try await pair()
        try alice.makeDirectory("d")
        try alice.write("doc", "text")
        try await settle(alice, bob)
        try apart(alice, bob) {
            try bob.remove("d")
            try alice.rename("doc", "d/doc")
        }
        #expect(try await settle(alice, bob) == ["d/": "", "d/doc": "text"])
        await stop(alice, bob)
    }

    @Test func aDirectoryThatIsGoneElsewhereGoesAfterItsLastEntry() async throws {  // S19
        let (alice, bob) = try await pair()
        try alice.makeDirectory("d")
        try alice.write("d/doc", "text")
        try await settle(alice, bob)
        let close = try bob.open("d/doc")
        try alice.remove("d/doc")
        try alice.remove("d")
        try await eventually("bob knows, and waits") { try alice.isAtRest && !bob.isAtRest }
        #expect(try await bob.tree() == ["d/": "", "d/doc": "text"])
        close()
        #expect(try await settle(alice, bob) == [:])
        await stop(alice, bob)
    }
}
