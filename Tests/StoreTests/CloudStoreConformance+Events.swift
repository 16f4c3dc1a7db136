import TestSupport
import Testing

@testable import DocFS

extension CloudStoreConformance {
    @Test(arguments: StoreKind.allCases)
    func eventsTellOfDocumentsAndTheLogOnly(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard store.capabilities.events else { return }
            let heard = Listener(store.events())
            try await heard.ready()

            let other = try await bench.another()
            let one = try await other.create("a", "one")
            try await heard.wait(for: .changed("a"))
            _ = try await other.write(
                "a", .document("two"), condition: .revision(one.revision!),
                keeping: ".docfs/versions/a/one")
            try await heard.wait(for: .changed("a"))
            _ = try await other.write("l", .link("a"), condition: .absent, keeping: nil)
            try await heard.wait(for: .changed("l"))
            try bench.writeFromOutside("theirs", [1])
            try await heard.wait(for: .changed("theirs"))
            try bench.renameFromOutside("theirs", [2])
            try await heard.wait(for: .changed("theirs"))

            try await other.makeDirectory("d", metadata: .of(nil))
            try await heard.wait(for: .changed("d"))
            try await other.create("d/b", "x")
            try await heard.wait(for: .changed("d/b"))
            _ = try await other.move("d", expecting: nil, to: "e", condition: .absent)
            try await heard.wait(for: .changed("d"))
            try await heard.wait(for: .changed("e"))
            let moved = try #require(try await other.head("e/b"))
            try await other.remove("e/b", expecting: moved.revision!)
            try await heard.wait(for: .changed("e/b"))
            try await other.removeEmptied("e")
            try await heard.wait(for: .changed("e"))

            _ = try await other.write(
                ".docfs/log/0000000000000001.json", .own("1"), condition: .absent, keeping: nil)
            try await heard.wait(for: .logGrew)
            _ = try await other.write(
                ".docfs/log/0000000000000002.json", .own("2"), condition: .absent, keeping: nil)
            try await heard.wait(for: .logGrew)
            #expect(
                !heard.all.contains { event in
                    if case .changed(let path) = event { return path.isAtOrBelow(".docfs") }
                    return false
                })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eventsOfManyListenersReachAll(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            guard bench.store.capabilities.events else { return }
            let first = Listener(bench.store.events())
            let second = Listener(bench.store.events())
            try await first.ready()
            try await second.ready()
            try await bench.store.create("a", "one")
            try await first.wait(for: .changed("a"))
            try await second.wait(for: .changed("a"))
        }
    }
}
