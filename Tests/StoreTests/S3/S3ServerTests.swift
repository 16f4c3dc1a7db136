internal import TestSupport
internal import Testing

@testable import DocFS

/// What the fuzzer of stores has devices speak to: that undamaged it is a store like others, and
/// that its damage repeats.
struct S3ServerTests {
    private static let kinds: [S3ServerObjects.Conditions] = [
        [.replace, .remove, .copy], [.replace, .removeUnchanged], [.replace],
    ]

    private func server(_ objects: S3ServerObjects) throws -> (DamagingServer, S3Server) {
        let honest = DamagingServer(
            objects,
            DamagingServer.Plan(seed: 0, rarity: 1, spared: .max, isStubborn: false)
        ) { _ in Issue.record("an answer is damaged") }
        return (honest, try S3Server { honest.reply(to: $0) })
    }

    private func store(_ server: S3Server) throws -> S3Store {
        try S3Outside.store(port: server.port, bucket: "fuzz")
    }

    private func write(_ store: S3Store, _ path: ItemPath, _ text: String, _ number: UInt64)
        async throws -> ObjectInfo
    {
        let bytes = Array(text.utf8)
        let metadata = ObjectMetadata(
            item: ItemID(high: 1, low: number), operation: OperationID(high: 2, low: number),
            digest: SHA256.digest(of: bytes), modified: Timestamp(seconds: 1), mode: 0o640)
        let object = ObjectWrite(
            payload: .bytes(bytes, size: UInt64(bytes.count)), metadata: metadata)
        return try await store.write(path, object, condition: .absent, keeping: nil)
    }

    @Test("The probe finds what the server takes notice of", arguments: kinds)
    func probe(_ conditions: S3ServerObjects.Conditions) async throws {
        let (_, server) = try server(S3ServerObjects(conditions))
        defer { server.stop() }
        let store = try store(server)
        defer { store.close() }
        try await store.attach(create: true)
        var expected = S3Probe()
        expected.server = "fuzz"
        expected.createsIfAbsent = true
        expected.winnersOfEight = 1
        expected.givesVersions = false
        expected.replaces = .quoted
        expected.copySource = "x-amz-copy-source-if-match"
        expected.removes = conditions.contains(.remove) ? .quoted : nil
        expected.removesUnchanged = conditions.contains(.removeUnchanged)
        expected.copiesIfAbsent = conditions.contains(.copy)
        expected.copyReplaces = conditions.contains(.copy) ? .quoted : nil
        #expect(store.probe == expected)
    }

    @Test("Documents are written, listed, read, and removed", arguments: kinds)
    func documents(_ conditions: S3ServerObjects.Conditions) async throws {
        let (honest, server) = try server(S3ServerObjects(conditions))
        defer { server.stop() }
        let store = try store(server)
        defer { store.close() }
        try await store.attach(create: true)
        let written = try await write(store, "a", "one", 1)
        _ = try await write(store, "d/é b", "two", 2)
        #expect(try await store.head("a") == written)
        #expect(honest.hasTaken(Array("one".utf8)))
        #expect(!honest.hasTaken(Array("three".utf8)))
        let listed = try await store.list(.root)
        #expect(Set(listed.map(\.path.description)) == ["a", "d"])
        #expect(try await store.list("d").map(\.path) == ["d/é b"])
        let sink = CollectingSink(size: 3)
        try await store.read("a", range: 1..<3, expecting: written.revision!, into: sink)
        #expect(sink.bytes == Array("\u{0}ne".utf8))
        await #expect(throws: DocFSError.refused) {
            try await store.read("a", range: 0..<3, expecting: Revision("other"), into: sink)
        }
        await #expect(throws: DocFSError.refused) {
            _ = try await write(store, "a", "three", 3)
        }
        try await store.remove("a", expecting: written.revision!, keeping: nil)
        #expect(try await store.head("a") == nil)
    }

    @Test("A listing of many pages is told whole")
    func pages() async throws {
        var objects = S3ServerObjects([.replace])
        for number in 0..<1_500 {
            objects.put(Array("d\(number)/x".utf8), [], at: 1)
            objects.put(Array("f\(number)".utf8), [1], at: 1)
        }
        let (_, server) = try server(objects)
        defer { server.stop() }
        let store = try store(server)
        defer { store.close() }
        try await store.attach(create: true)
        #expect(try await store.list(.root).count == 3_000)
    }

    private func damage(_ seed: UInt64) -> AnswerDamage {
        var objects = S3ServerObjects([.replace])
        objects.put(Array("a".utf8), Array("body".utf8), at: 1_700_000_000)
        let line = seed % 2 == 0 ? "GET /fuzz/a HTTP/1.1" : "GET /fuzz?list-type=2 HTTP/1.1"
        var bytes = Array("\(line)\r\nHost: x\r\n\r\n".utf8)
        let answer = S3ServerRequest(takingFrom: &bytes).map {
            objects.answer($0, at: 1_700_000_000)
        }
        return AnswerDamage(
            answer ?? .error(400, "BadRequest", at: 0), seed: seed, keys: objects.keys,
            occurrence: 3)
    }

    @Test("The same seed does the same damage, another one other damage")
    func repeats() {
        var all: Set<[UInt8]> = []
        for seed in 0..<500 as Range<UInt64> {
            let (one, two) = (damage(seed), damage(seed))
            #expect(one.reply.bytes == two.reply.bytes)
            #expect(one.reply.end == two.reply.end)
            #expect(one.words == two.words)
            all.insert(one.reply.bytes)
        }
        #expect(all.count > 400)
    }

    @Test("A request is taken when all of it is there, and the next one stays")
    func requests() throws {
        let text = "PUT /fuzz/a%2Fb%00c HTTP/1.1\r\nContent-Length: 3\r\nX-A: b: c\r\n\r\nabc"
        var bytes = Array(text.utf8)
        for count in 0..<bytes.count {
            var part = Array(bytes.prefix(count))
            #expect(S3ServerRequest(takingFrom: &part) == nil)
            #expect(part.count == count)
        }
        bytes += Array("GET".utf8)
        let request = try #require(S3ServerRequest(takingFrom: &bytes))
        #expect(request.method == "PUT")
        #expect(request.key == Array("a/b\u{0}c".utf8))
        #expect(request.headers["x-a"] == "b: c")
        #expect(request.body == Array("abc".utf8))
        #expect(bytes == Array("GET".utf8))
    }
}
