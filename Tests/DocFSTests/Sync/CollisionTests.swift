import TestSupport
import Testing

@testable import DocFS

/// What other programs put where the log has something else, and under names that no directory has:
/// it is shown or not by a rule, and nobody writes records about it without end.
struct CollisionTests {
    /// A bucket, its server and a device on it, whose engine has begun.
    private struct Bench {
        let bucket: DamagingServer
        let server: S3Server
        let store: S3Store
        let device: TestDevice

        func end() async {
            await device.engine.stop()
            store.close()
            server.stop()
        }
    }

    private func bench(_ conditions: S3ServerObjects.Conditions) async throws -> Bench {
        let bucket = DamagingServer(
            S3ServerObjects(conditions),
            DamagingServer.Plan(seed: 0, rarity: 1, spared: .max, isStubborn: false)
        ) { _ in Issue.record("an answer is damaged") }
        let server = try S3Server { bucket.reply(to: $0) }
        let address = S3Address(
            bucket: "fuzz", prefix: "",
            endpoint: HTTPOrigin(isSecure: false, host: "127.0.0.1", port: server.port),
            region: "us-east-1", style: .path)
        let store = S3Store(
            address,
            credentials: S3CredentialSource(
                file: nil, profile: nil,
                environment: ["AWS_ACCESS_KEY_ID": "docfs", "AWS_SECRET_ACCESS_KEY": "secret"]),
            try HTTPTransport(authorities: nil, silence: 60_000_000_000))
        let device = try TestDevice("alice", store: store, poll: 3_600_000_000_000)
        await device.engine.start()
        return Bench(bucket: bucket, server: server, store: store, device: device)
    }

    private func shows(_ tree: [String: String], _ device: TestDevice) async throws {
        var last: [String: String] = [:]
        try await eventually("\(tree) and not \(last)") {
            last = try await device.tree()
            return try device.isAtRest && last == tree
        }
    }

    /// Has everything be listed so many times, one after the other, and what is found be recorded.
    private func look(_ device: TestDevice, times: Int) async throws {
        for _ in 0..<times {
            let before = await device.engine.lastLook.moment
            device.engine.confirmDeletes()
            try await eventually("it looks") {
                await device.engine.lastLook.moment > before
            }
        }
        try await rest(of: device.engine)
        try await eventually("all is shown") { try device.isAtRest }
    }

    private func records(_ store: any CloudStore) async throws -> Int {
        try await store.list(".docfs/log").count
    }

    @Test(
        "A document beside a directory of the log stays out of it, and nobody records that",
        arguments: [[.replace, .remove, .copy], [.replace]] as [S3ServerObjects.Conditions])
    func besideADirectory(_ conditions: S3ServerObjects.Conditions) async throws {  // S23, S35
        let bench = try await bench(conditions)
        let device = bench.device
        try device.makeDirectory("d")
        try device.write("d/a", "one")
        try await shows(["d/": "", "d/a": "one"], device)
        let before = try await records(bench.store)
        bench.bucket.put("d", Array("foreign".utf8))
        let asked = bench.bucket.requests
        try await look(device, times: 3)
        #expect(try await device.tree() == ["d/": "", "d/a": "one"])
        #expect(try await records(bench.store) == before)
        #expect(bench.bucket.requests - asked < 200)
        #expect(device.catalog.bulletin.health(of: device.scope.id).leftOut == ["d"])
        // The directory is one like others: what comes into it is shown, and it can go.
        bench.bucket.put("d/b", Array("two".utf8))
        try await look(device, times: 1)
        try await shows(["d/": "", "d/a": "one", "d/b": "two"], device)
        for path in ["d/a", "d/b", "d"] { try device.remove(path) }
        try await shows([:], device)
        try await look(device, times: 1)
        try await shows(["d": "foreign"], device)
        #expect(device.catalog.bulletin.health(of: device.scope.id).leftOut.isEmpty)
        await bench.end()
    }

    @Test("What another program puts below a document of the log is not shown, nor recorded")
    func belowADocument() async throws {  // S35
        let bench = try await bench([.replace, .remove])
        try bench.device.write("d", "ours")
        try await shows(["d": "ours"], bench.device)
        let before = try await records(bench.store)
        bench.bucket.put("d/a", Array("foreign".utf8))
        // As a refused request or an event tells of it.
        let asked = bench.bucket.requests
        await bench.device.engine.inbox.tell { $0.suspects.insert("d/a") }
        try await look(bench.device, times: 2)
        #expect(try await bench.device.tree() == ["d": "ours"])
        #expect(try await records(bench.store) == before)
        #expect(bench.bucket.requests - asked < 200)
        await bench.end()
    }

    @Test("Whatever keys a bucket has, there is an end to what is recorded of them")
    func strangeKeys() async throws {  // S30, S35
        let bench = try await bench([.replace, .remove, .copy])
        try bench.device.makeDirectory("e")
        try bench.device.write("e/a", "one")
        try await shows(["e/": "", "e/a": "one"], bench.device)
        let keys = [
            "/", "//", "///x", "a", "a/", "a//", "a/b", "a/b/", "a/b/c", "a//b", "e", "e/", "e//",
            "e/a/", "e/a/x", "./", "./x", "../", "..", ".", "f/.", "f/..", "f/../x", "g//", "g///",
            "docfs-key=", "docfs-key=/x", "docfs-key=..", "docfs-bytes=%FF", "\u{1}", "\u{1}/x",
            ".docfs", "e\u{301}", "\u{E9}", "\u{E9}/x", String(repeating: "n", count: 300),
            String(repeating: "n", count: 300) + "/x",
        ]
        for key in keys { bench.bucket.put(key, key.hasSuffix("/") ? [] : Array(key.utf8)) }
        try await look(bench.device, times: 3)
        #expect(bench.device.catalog.bulletin.health(of: bench.device.scope.id).problem == nil)
        let before = try await records(bench.store)
        let tree = try await bench.device.tree()
        let asked = bench.bucket.requests
        try await look(bench.device, times: 3)
        #expect(try await records(bench.store) == before)
        #expect(try await bench.device.tree() == tree)
        #expect(bench.bucket.requests - asked < 500)
        #expect(tree["e/a"] == "one")
        #expect(tree["a"] == "a")
        #expect(tree["docfs-key=/"] == "")
        #expect(tree["docfs-key=.."] == "..")
        await bench.end()
    }

    @Test(
        "A directory that another program has replaced by a document goes with all it had",
        arguments: [true, false])
    func replacedDirectory(_ isMarkedAsOurs: Bool) async throws {  // S2, S23
        let store = MemoryStore()
        let device = try TestDevice("alice", store: store)
        await device.engine.start()
        try device.makeDirectory("d")
        try device.makeDirectory("d/e")
        for number in 0..<3 { try device.write("d/e/\(number)", "x") }
        let former = ["d/": "", "d/e/": "", "d/e/0": "x", "d/e/1": "x", "d/e/2": "x"]
        try await shows(former, device)
        await device.engine.stop()
        let before = try await records(store)
        for path in (0..<3).map({ ItemPath("d/e/\($0)") }) {
            let revision = try #require(try await store.head(path)?.revision)
            try await store.remove(path, expecting: revision, keeping: nil)
        }
        try await store.removeDirectory("d/e")
        try await store.removeDirectory("d")
        if isMarkedAsOurs {
            // A copy of a document of ours, with all that is kept beside it.
            _ = try await store.write("d", .document("document"), condition: .absent, keeping: nil)
        } else {
            try store.writeFromOutside("d", Array("document".utf8))
        }
        let again = try device.restarted()
        await again.engine.start()
        try await look(again, times: 1)
        try await shows(["d": "document"], again)
        // One of them tells where the documents are that this device has put into the trash.
        #expect(try await records(store) <= before + 4)
        await again.engine.stop()
    }

    @Test("What is kept beside a document cannot be what no request can send")
    func controlsInMetadata() async throws {  // S35
        let bench = try await bench([.replace])
        bench.bucket.put(
            "foreign", Array("text".utf8),
            [("x-amz-meta-note", "a\rb\u{1}c\td"), ("content-language", "\u{1B}[2J")])
        try await look(bench.device, times: 1)
        try await shows(["foreign": "text"], bench.device)
        try bench.device.rename("foreign", "renamed")
        try bench.device.write("other", "goes on")
        let tree = ["renamed": "text", "other": "goes on"]
        try await shows(tree, bench.device)
        try await eventually("it is renamed") { try await bench.store.head("renamed") != nil }
        #expect(try await bench.store.head("renamed")?.size == 4)
        #expect(bench.device.catalog.bulletin.health(of: bench.device.scope.id).isOnline)
        let fields = bench.bucket.objects.objects[Array("renamed".utf8)]?.fields ?? []
        #expect(fields.first { $0.name == "x-amz-meta-note" }?.value == "a b c\td")
        await bench.end()
    }

    @Test("A revision that no request can name is refused, and nothing else fails for it")
    func unsendableRevision() async throws {  // S35
        let bench = try await bench([.replace])
        try bench.device.write("doc", "text")
        try await shows(["doc": "text"], bench.device)
        await #expect(throws: DocFSError.refused) {
            try await bench.store.read(
                "doc", range: 0..<4, expecting: Revision("a\r\nx: y"),
                into: CollectingSink(size: 4))
        }
        await #expect(throws: DocFSError.refused) {
            _ = try await bench.store.write(
                "doc", .document("new"), condition: .revision(Revision("a\nb")), keeping: nil)
        }
        await bench.end()
    }
}
