internal import Synchronization
internal import TestSupport
internal import Testing

@testable import DocFS

/// What follows from credentials that may not do everything, on a server that refuses what a test
/// says.
struct S3RightsTests {
    private typealias Refusal = @Sendable (S3ServerRequest) -> (status: Int, code: String)?

    private struct State: Sendable {
        var objects: S3ServerObjects
        var refuses: Refusal = { _ in nil }
        /// Whether listings are cut off before their first entry.
        var cutsListings = false
        /// What was asked for that changes something: method and key.
        var changes: [String] = []

        mutating func answer(_ request: S3ServerRequest) -> S3ServerAnswer {
            let now = Posix.wallTime().seconds
            if request.method != "GET", request.method != "HEAD" {
                changes.append(
                    "\(request.method) \(String(decoding: request.key ?? [], as: UTF8.self))")
            }
            if request.key == nil, cutsListings { return Self.cutListing(at: now) }
            guard let (status, code) = refuses(request) else {
                return objects.answer(request, at: now)
            }
            var answer = S3ServerAnswer.error(status, code, at: now)
            answer.isHead = request.method == "HEAD"
            return answer
        }

        private static func cutListing(at now: Int64) -> S3ServerAnswer {
            let text = """
                <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\
                <Name>bucket</Name><KeyCount>0</KeyCount><IsTruncated>true</IsTruncated>\
                <NextContinuationToken>token</NextContinuationToken></ListBucketResult>
                """
            return .xml(200, "OK", text, at: now)
        }
    }

    private func with(
        _ conditions: S3ServerObjects.Conditions = [.replace, .remove, .copy],
        prefix: String = "", _ body: (S3Store, Shared<State>) async throws -> Void
    ) async throws {
        let state = Shared(State(objects: S3ServerObjects(conditions)))
        let server = try S3Server { request in
            S3Server.Reply(state.value.withLock { $0.answer(request) }.bytes)
        }
        defer { server.stop() }
        let store = try S3Outside.store(port: server.port, prefix: prefix)
        defer { store.close() }
        try await body(store, state)
    }

    private static let onlyReads: Refusal = { request in
        request.method == "GET" || request.method == "HEAD" ? nil : (403, "AccessDenied")
    }

    private static let doesNotDelete: Refusal = { request in
        request.method == "DELETE" ? (403, "AccessDenied") : nil
    }

    private func put(_ state: Shared<State>, _ key: String, _ text: String) {
        let now = Posix.wallTime().seconds
        state.value.withLock { $0.objects.put(Array(key.utf8), Array(text.utf8), at: now) }
    }

    /// Attaches a container that has a document, for who may only read.
    private func attachToRead(_ store: S3Store, _ state: Shared<State>) async throws {
        put(state, "doc", "text")
        state.value.withLock { $0.refuses = Self.onlyReads }
        try await store.attach(create: false)
    }

    @Test("Who may only read asks for one change, and reads")
    func onlyReads() async throws {
        try await with { store, state in
            try await attachToRead(store, state)
            #expect(store.capabilities.writesRefused?.contains("AccessDenied") == true)
            #expect(store.capabilities.rightsAreKnown)
            #expect(try await store.head("doc")?.size == 4)
            #expect(state.value.withLock(\.changes) == ["PUT .docfs/tmp/probe-rights"])
        }
    }

    @Test("A prefix inside another container is refused, and nothing is written there")  // S33
    func insideAnotherContainer() async throws {
        try await with(prefix: "team/docs/") { store, state in
            put(state, "team/.docfs/container.json", "{}")
            await #expect(
                throws: DocFSError.offline(
                    "team/docs/ lies in another container, s3://b/team/")
            ) {
                try await store.attach(create: true)
            }
            #expect(state.value.withLock { $0.changes.isEmpty })
            // Another container beside it, or inside it, is none around it.
            let keys = ["team/docs/sub/.docfs/container.json", "team/doc/.docfs/container.json"]
            for key in keys { put(state, key, "{}") }
            state.value.withLock { $0.objects.remove(Array("team/.docfs/container.json".utf8)) }
            try await store.attach(create: true)
        }
    }

    /// Neither the room of a store nor its moods say anything of rights.
    @Test(
        "A trial that says nothing leaves what was known",
        arguments: [(507, "QuotaExceeded"), (500, "InternalError"), (400, "InvalidRequest")])
    func inconclusiveTrial(_ status: Int, _ code: String) async throws {
        try await with { store, state in
            try await attachToRead(store, state)
            let known = store.capabilities.writesRefused
            state.value.withLock {
                $0.refuses = { $0.method == "PUT" ? (status, code) : Self.onlyReads($0) }
            }
            // Else it would not be asked for ten minutes.
            store.objects.client.wasForbiddenOwn.store(true, ordering: .relaxed)
            try await store.attach(create: false)
            #expect(known != nil)
            #expect(store.capabilities.writesRefused == known)
            #expect(state.value.withLock(\.changes.count) >= 2)
        }
    }

    @Test("Rights that come back are found when something was refused")
    func rightsComeBack() async throws {
        try await with { store, state in
            try await attachToRead(store, state)
            state.value.withLock { $0.refuses = { _ in nil } }
            store.objects.client.wasForbiddenOwn.store(true, ordering: .relaxed)
            #expect(store.capabilities.rightsAreDoubted)
            try await store.attach(create: false)
            #expect(store.capabilities.writesRefused == nil)
            #expect(!store.capabilities.rightsAreDoubted)
            #expect(store.probe.createsIfAbsent)
        }
    }

    /// The store of the credentials that may do no more than a part of a bucket.
    private static let refusesWhatIsAbsent: @Sendable (Set<String>) -> Refusal = { known in
        { request in
            guard let key = request.key, request.method == "GET" || request.method == "HEAD",
                !known.contains(String(decoding: key, as: UTF8.self))
            else { return nil }
            return (403, "AccessDenied")
        }
    }

    @Test("What is absent is found so by a listing, where asking for it is refused")
    func absentIsRefused() async throws {
        try await with { store, state in
            put(state, "doc", "text")
            state.value.withLock { $0.refuses = Self.refusesWhatIsAbsent(["doc"]) }
            let objects = store.objects
            try await objects.askForWhatIsAbsent(".docfs/tmp/none")
            #expect(try await objects.head("doc")?.size == 4)
            #expect(try await objects.head("none") == nil)
            // What is there and refused is not absent (S23).
            state.value.withLock { $0.refuses = Self.refusesWhatIsAbsent([]) }
            await #expect(throws: DocFSError.self) { _ = try await objects.head("doc") }
        }
    }

    @Test("A listing that is cut off says nothing of what is absent")
    func cutOffListing() async throws {
        try await with { store, state in
            state.value.withLock { $0.refuses = Self.refusesWhatIsAbsent([]) }
            let objects = store.objects
            try await objects.askForWhatIsAbsent(".docfs/tmp/none")
            #expect(try await objects.head("none") == nil)
            state.value.withLock { $0.cutsListings = true }
            await #expect(throws: DocFSError.self) { _ = try await objects.head("none") }
        }
    }

    @Test("Who may not delete leaves no copy of what was to be removed, however often it is tried")
    func removingWithoutTheRight() async throws {
        try await with { store, state in
            // Who may do all has found out that the store deletes under conditions.
            try await store.attach(create: true)
            state.value.withLock { $0.refuses = Self.doesNotDelete }
            store.objects.client.wasForbiddenOwn.store(true, ordering: .relaxed)
            try await store.attach(create: false)
            #expect(store.capabilities.deletesRefused?.contains("AccessDenied") == true)
            let info = try await store.create("doc", "text")
            let revision = try #require(info.revision)
            let before = state.value.withLock(\.objects.keys)
            for attempt in 0..<3 {
                await #expect(throws: DocFSError.self) {
                    try await store.remove(
                        "doc", expecting: revision, keeping: ItemPath(".docfs/trash/\(attempt)"))
                }
            }
            #expect(state.value.withLock(\.objects.keys) == before)
        }
    }

    @Test("Where nobody has found that out, who may not delete removes by tombstones")
    func removingByTombstones() async throws {
        try await with { store, state in
            state.value.withLock { $0.refuses = Self.doesNotDelete }
            try await store.attach(create: true)
            let info = try await store.create("doc", "text")
            try await store.remove(
                "doc", expecting: try #require(info.revision), keeping: ".docfs/trash/doc")
            #expect(try await store.head("doc") == nil)
            #expect(try await store.text(".docfs/trash/doc") == "text")
        }
    }
}
