internal import Synchronization
internal import TestSupport
internal import Testing

@testable import DocFS

/// Only the body tells a tombstone, on a server that does not delete under a condition: it is read
/// once.
struct S3TombstoneReadingTests {
    private struct State: S3Answering {
        var objects = S3ServerObjects([.replace])
        /// How often which document was read.
        var reads: [String: Int] = [:]

        mutating func answer(_ request: S3ServerRequest) -> S3ServerAnswer {
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
}
