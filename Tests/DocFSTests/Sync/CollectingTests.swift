import DocFS
import Synchronization
import TestSupport
import Testing

/// What the container keeps goes when it is old (S19): collections of a real engine on a store
/// whose clock is not the devices'.
@Suite struct CollectingTests {
    /// A collection every tenth of a second.
    private static let short = Retention(time: 1_000_000_000, versions: 2)
    /// Whoever is silent for half a second is taken for dead.
    private static let patient = Retention(time: 15_000_000_000, versions: 2)

    /// What a store can do.
    enum Kind: CaseIterable {
        case folder, objects, objectsWithoutConditionalRemove

        var capabilities: StoreCapabilities {
            var capabilities: StoreCapabilities = self == .folder ? .whole : .objects
            capabilities.conditionalRemove = self != .objectsWithoutConditionalRemove
            return capabilities
        }
    }

    private let time = StoreTime()
    private let stories = TwoDeviceTests()

    private func store(_ kind: Kind) -> MemoryStore {
        let time = time
        return MemoryStore(capabilities: kind.capabilities, clock: { time.now })
    }

    private func device(_ name: String, _ store: any CloudStore, _ retention: Retention = short)
        async throws -> TestDevice
    {
        let device = try TestDevice(name, store: store, retention: retention)
        await device.engine.start()
        return device
    }

    /// How many bodies are kept.
    private func count(_ store: MemoryStore) async throws -> (versions: Int, trash: Int) {
        (
            try await store.kept(".docfs/versions").count,
            try await store.kept(".docfs/trash").count
        )
    }

    /// A document with four earlier versions, and one in the trash.
    private func fill(_ alice: TestDevice, _ bob: TestDevice) async throws {
        for number in 1...5 {
            try alice.write("doc", "text \(number)")
            try await stories.settle(alice, bob)
        }
        try alice.write("other", "other")
        try await stories.settle(alice, bob)
        try alice.remove("other")
        try await stories.settle(alice, bob)
    }

    // MARK: What goes

    @Test(arguments: Kind.allCases)
    func whatIsOldGoesAndTheNewestVersionsStay(_ kind: Kind) async throws {  // S19
        let store = store(kind)
        let alice = try await device("alice", store)
        let bob = try await device("bob", store)
        time.stop()
        try await fill(alice, bob)
        #expect(try await count(store) == (4, 1))
        time.goOn()
        try await stories.eventually("it goes") { try await count(store) == (2, 0) }
        #expect(try await stories.settle(alice, bob) == ["doc": "text 5"])
        for device in [alice, bob] {
            try await stories.eventually("\(device.name) knows") {
                let isEmpty = try device.trash.isEmpty
                return try device.versions(of: "doc").count == 2 && isEmpty
            }
        }
        // What is left is read as ever.
        let left = Set(try await store.kept(".docfs/versions"))
        #expect(Set(try alice.versions(of: "doc").map(\.path)) == left)
        let texts = try alice.versions(of: "doc").map(\.size)
        #expect(texts == [6, 6])
        await stories.stop(alice, bob)
    }

    @Test(arguments: Kind.allCases)
    func versionsOfWhatIsGoneGoWithTheTrash(_ kind: Kind) async throws {  // S19
        let store = store(kind)
        let alice = try await device("alice", store)
        try alice.write("doc", "one")
        try await stories.settle(alice)
        try alice.write("doc", "two")
        try await stories.settle(alice)
        try alice.remove("doc")
        try await stories.settle(alice)
        try await stories.eventually("nothing is left") { try await count(store) == (0, 0) }
        await stories.stop(alice)
    }

    @Test func nothingGoesWhileTheStoresClockStands() async throws {  // S19, R12
        let store = store(.folder)
        let way = FaultyStore(store)
        let turns = Mutex(0)
        way.setFaults { verb, path in
            if verb == .write, path == ".docfs/collector.json" { turns.withLock { $0 += 1 } }
            return nil
        }
        let alice = try await device("alice", way)
        // Ten collections are long over.
        try await stories.eventually("collections") { turns.withLock { $0 } > 25 }
        time.stop()
        try await fill(alice, alice)
        let before = turns.withLock { $0 }
        try await stories.eventually("more of them") { turns.withLock { $0 } > before + 25 }
        #expect(try await count(store) == (4, 1))
        await stories.stop(alice)
    }

    @Test func whatIsYoungerStays() async throws {  // S19
        let store = store(.folder)
        let alice = try await device("alice", store, Retention(time: 2_000_000_000, versions: 0))
        try await Task.sleep(nanoseconds: 2_500_000_000)
        try alice.write("doc", "one")
        try await stories.settle(alice)
        let begun = SystemClock().now()
        try alice.remove("doc")
        try await stories.settle(alice)
        let trash = try await count(store).trash
        // Unless the machine took so long.
        if SystemClock().now() - begun < 2_000_000_000 { #expect(trash == 1) }
        try await stories.eventually("it goes") { try await count(store).trash == 0 }
        #expect(SystemClock().now() - begun > 2_000_000_000)
        await stories.stop(alice)
    }

    @Test func whatNobodyKnowsGoesToo() async throws {
        let store = store(.objects)
        let alice = try await device("alice", store)
        try alice.write("doc", "one")
        try await stories.settle(alice)
        let waste: [ItemPath] = [
            ".docfs/versions/0123456789abcdef0123456789abcdef/r9", ".docfs/tmp/probe-1-a",
            ".docfs/tmp/17.part",
        ]
        for path in waste { try store.writeFromOutside(path, [1]) }
        // Perhaps the only body of its kind.
        try store.writeFromOutside(".docfs/tmp/18", [1])
        try await stories.eventually("it goes") {
            for path in waste where try await store.head(path) != nil { return false }
            return true
        }
        #expect(try await store.head(".docfs/tmp/18") != nil)
        #expect(try await stories.settle(alice) == ["doc": "one"])
        await stories.stop(alice)
    }

    @Test func emptyDirectoriesGo() async throws {
        let store = store(.folder)
        let alice = try await device("alice", store)
        try alice.write("doc", "one")
        try await stories.settle(alice)
        try alice.remove("doc")
        try await stories.settle(alice)
        try await stories.eventually("they go") {
            try await store.stored(below: ".docfs/trash", from: nil).objects.isEmpty
        }
        await stories.stop(alice)
    }

    // MARK: Troubles

    @Test(arguments: 0..<12)
    func aCollectorMayDieAtAnyRequest(_ number: Int) async throws {  // R8
        let store = store(number % 2 == 0 ? .folder : .objects)
        let way = FaultyStore(store)
        let alice = try await device("alice", way)
        time.stop()
        try await fill(alice, alice)
        // The so-manieth change that she makes from announcing on is her last.
        let left = Mutex<Int?>(nil)
        let isCut = way.cut { verb, path in
            guard verb == .write || verb == .remove else { return false }
            return left.withLock { left in
                if left == nil, path.isAtOrBelow(".docfs/log") { left = number / 2 }
                guard let count = left else { return false }
                left = count - 1
                return count == 0
            }
        }
        time.goOn()
        try await stories.eventually("she is cut off") { isCut() }
        let bob = try await device("bob", store)
        try await stories.eventually("bob does it") { try await count(store) == (2, 0) }
        way.setFaults { _, _ in nil }
        #expect(try await stories.settle(alice, bob) == ["doc": "text 5"])
        try await stories.eventually("alice knows") {
            let isEmpty = try alice.trash.isEmpty
            return try alice.versions(of: "doc").count == 2 && isEmpty
        }
        await stories.stop(alice, bob)
    }

    @Test func oneDeviceAtATimeCollects() async throws {
        let store = store(.objects)
        let holders = Mutex<[String]>([])
        var devices: [TestDevice] = []
        for name in ["alice", "bob", "carol"] {
            let way = FaultyStore(store)
            way.setFaults { verb, path in
                if verb == .remove, ContainerLayout.keeps(path) {
                    holders.withLock { $0.append(name) }
                }
                return nil
            }
            devices.append(try await device(name, way, Self.patient))
        }
        time.stop()
        let (alice, bob) = (devices[0], devices[1])
        for number in 0..<20 { try alice.write("doc \(number)", "text") }
        try await stories.settle(alice, bob)
        for number in 0..<20 { try alice.remove("doc \(number)") }
        try await stories.settle(alice, bob)
        time.goOn()
        try await stories.eventually("it goes") { try await count(store).trash == 0 }
        // Whoever holds the lease goes on. Only one that had no turn for half a second on a busy
        // machine loses it, and asks once more for what it was at.
        let asked = holders.withLock { $0 }
        let changes = zip(asked, asked.dropFirst()).filter { $0 != $1 }.count
        #expect(asked.count <= 20 + changes, "\(asked)")
        #expect(changes <= 2, "\(asked)")
        await stories.stop(alice, bob, devices[2])
    }

    @Test func whoWakesUpLateLosesNoEdit() async throws {  // S16
        let store = store(.objects)
        let way = FaultyStore(store)
        let alice = try await device("alice", store)
        let bob = try await device("bob", way)
        try alice.write("doc", "one")
        try await stories.settle(alice, bob)
        way.setFaults { _, _ in .refused(.offline("cut off")) }
        try bob.write("doc", "bob's")
        for text in ["two", "three", "four"] {
            try alice.write("doc", text)
            try await stories.settle(alice)
        }
        try await stories.eventually("the version that bob had is gone") {
            try await count(store).versions == 2
        }
        way.setFaults { _, _ in nil }
        try await stories.eventually("both are there") {
            Set(try await bob.tree().values) == ["four", "bob's"]
        }
        #expect(try await stories.settle(alice, bob).count == 2)
        await stories.stop(alice, bob)
    }

    @Test func collectingAsksForLittle() async throws {
        let store = store(.objects)
        let way = FaultyStore(store)
        let requests = Mutex<[String: Int]>([:])
        let alice = try await device("alice", store, Retention(time: 1 << 62, versions: 0))
        for number in 0..<100 { try alice.write("doc \(number)", "text") }
        try await stories.settle(alice)
        for number in 0..<100 { try alice.remove("doc \(number)") }
        try await stories.settle(alice)
        await stories.stop(alice)
        #expect(try await count(store).trash == 100)
        let bob = try await device("bob", way, Retention(time: 3_000_000_000, versions: 0))
        try await stories.settle(bob)
        way.setFaults { verb, path in
            if path.isAtOrBelow(".docfs"), !path.isAtOrBelow(".docfs/log") {
                requests.withLock { $0["\(verb)", default: 0] += 1 }
            }
            return nil
        }
        try await stories.eventually("it goes") { try await count(store).trash == 0 }
        let counts = requests.withLock { $0 }
        #expect(counts["remove"] == 100)
        // Each is looked at once, and collector.json for each time that it is written.
        let turns = counts["write", default: 0]
        #expect(counts["head", default: 0] <= 100 + 3 * turns + 20)
        await stories.stop(bob)
    }
}
