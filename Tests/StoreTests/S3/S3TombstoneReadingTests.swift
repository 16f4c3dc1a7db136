internal import Synchronization
internal import TestSupport
internal import Testing

@testable import DocFS

/// Only the body tells a tombstone, on a server that does not delete under a condition: it is read
/// once.
struct S3TombstoneReadingTests {
    private struct State: S3Answering {
        var objects = S3ServerObjects([.replace, .removeUnchanged])
        /// How often which document was read.
        var reads: [String: Int] = [:]
        /// How often it was asked for without its body.
        var looks: [String: Int] = [:]

        mutating func answer(_ request: S3ServerRequest) -> S3ServerAnswer {
            if request.method == "HEAD", let key = request.key {
                looks[String(decoding: key, as: UTF8.self), default: 0] += 1
            }
            if request.method == "GET", let key = request.key, request.query.isEmpty {
                reads[String(decoding: key, as: UTF8.self), default: 0] += 1
            }
            return objects.answer(request, at: Posix.wallTime().seconds)
        }
    }

    @Test func aTombstoneIsReadOnceAndItsOwnNever() async throws {
        try await State().serve { store, state, server in
            let made = try await store.create("doc", "was here")
            try await store.remove("doc", expecting: try #require(made.revision))
            state.value.withLock { $0.reads = [:] }
            for _ in 0..<3 { #expect(try await store.head("doc") == nil) }
            #expect(state.value.withLock { $0.reads["doc"] } == nil)
            let other = try S3Outside.store(port: server.port)
            defer { other.close() }
            try await other.attach(create: false)
            state.value.withLock { $0.reads = [:] }
            for _ in 0..<3 { #expect(try await other.head("doc") == nil) }
            #expect(state.value.withLock { $0.reads["doc"] } == 1)
        }
    }

    @Test func ofTombstonesThatAreKnownAListingIsEnough() async throws {
        try await State().serve { store, state, server in
            try await store.makeDirectory("dir", metadata: .of(nil))
            for path in ["dir/a", "dir/b"] as [ItemPath] {
                let made = try await store.create(path, "was here")
                try await store.remove(path, expecting: try #require(made.revision))
            }
            _ = try await store.create("dir/c", "stays")
            let looks = { (key: String) in state.value.withLock { $0.looks[key] ?? 0 } }
            state.value.withLock { $0.looks = [:] }
            #expect(try await store.list("dir").map(\.path) == ["dir/c"])
            await #expect(throws: DocFSError.notEmpty) { try await store.removeDirectory("dir") }
            #expect(looks("dir/a") + looks("dir/b") == 0)
            // A document with the bytes of a tombstone is none.
            let buried = try #require(
                state.value.withLock { $0.objects.objects[Array("dir/a".utf8)] })
            _ = try await store.create("dir/d", String(decoding: buried.body, as: UTF8.self))
            #expect(try await store.list("dir").map(\.path).sorted() == ["dir/c", "dir/d"])
            state.value.withLock { $0.looks = [:] }
            // Who has not written them looks once.
            let other = try S3Outside.store(port: server.port)
            defer { other.close() }
            try await other.attach(create: false)
            for _ in 0..<3 {
                #expect(try await other.list("dir").map(\.path).sorted() == ["dir/c", "dir/d"])
            }
            #expect(looks("dir/a") == 1 && looks("dir/b") == 1)
        }
    }

    @Test func aListingTellsDocumentsFromTombstonesBetweenThem() async throws {
        try await State().serve { store, state, server in
            let asked = (0..<20).map { ItemPath("dir/\($0)") } + ["dead/1", "dead/2"]
            // The document beside it tells that there is a directory.
            let gone = asked + ["half/1"]
            let stay = (20..<40).map { ItemPath("dir/\($0)") } + ["half/2"]
            for path in gone + stay { _ = try await store.create(path, "text") }
            for path in gone {
                let info = try #require(try await store.head(path))
                try await store.remove(path, expecting: try #require(info.revision))
            }
            let other = try S3Outside.store(port: server.port)
            defer { other.close() }
            try await other.attach(create: false)
            state.value.withLock { $0.looks = [:] }
            #expect(Set(try await other.list(.root).map(\.path)) == ["dir", "half"])
            #expect(Set(try await other.list("dir").map(\.path)) == Set(stay.dropLast()))
            await #expect(throws: DocFSError.notFound) { _ = try await other.list("dead") }
            let looks = state.value.withLock { $0.looks }
            for path in asked { #expect(looks["\(path)"] == 1, "\(path)") }
            for path in stay + ["half/1"] { #expect(looks["\(path)"] == nil, "\(path)") }
        }
    }
}
