internal import Synchronization
internal import TestSupport

@testable import DocFS

/// What a test has a server on loopback answer, and what it notes of the requests.
protocol S3Answering: Sendable {
    mutating func answer(_ request: S3ServerRequest) -> S3ServerAnswer
}

extension S3Answering {
    /// Runs `body` with a store that is attached to a new container on a server that answers so.
    func serve(_ body: (S3Store, Shared<Self>, S3Server) async throws -> Void) async throws {
        let state = Shared(self)
        let server = try S3Server { request in
            S3Server.Reply(state.value.withLock { $0.answer(request) }.bytes)
        }
        defer { server.stop() }
        let store = try S3Outside.store(port: server.port)
        defer { store.close() }
        try await store.attach(create: true)
        try await body(store, state, server)
    }
}
