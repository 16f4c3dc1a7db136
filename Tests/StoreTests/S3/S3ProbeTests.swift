internal import Synchronization
internal import TestSupport
internal import Testing

@testable import DocFS

/// The probe on a server that checks the digest of what is sent, which the fuzzer's does not.
struct S3ProbeTests {
    private struct State: S3Answering {
        var objects = S3ServerObjects([.replace, .remove])
        var damagedBodies = 0

        mutating func answer(_ request: S3ServerRequest) -> S3ServerAnswer {
            let now = Posix.wallTime().seconds
            let signed = request.headers["x-amz-content-sha256"]
            if request.method == "PUT", signed != SHA256.digest(of: request.body).description {
                damagedBodies += 1
                return .error(400, "XAmzContentSHA256Mismatch", at: now)
            }
            return objects.answer(request, at: now)
        }
    }

    @Test("A damaged body is sent twice, and nothing stays of all that was tried")
    func aDamagedBodyIsSentTwice() async throws {
        try await State().serve { store, state, _ in
            #expect(store.probe.checksBodies)
            #expect(store.probe.removes == .quoted)
            #expect(state.value.withLock { $0.damagedBodies } == 2)
            await #expect(throws: DocFSError.notFound) { try await store.list(".docfs/tmp") }
        }
    }
}
