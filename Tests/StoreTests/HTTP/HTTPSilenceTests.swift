import Foundation
import Testing

@testable import DocFS

/// Servers that never come to an end, in every way there is: each request has one.
@Suite struct HTTPSilenceTests {
    private static let second: UInt64 = 1_000_000_000
    /// Longer than any test may take.
    private static let hour: UInt64 = 3_600 * second

    private func failure(
        silence: UInt64 = 3 * second, _ body: HTTPBody = .none,
        _ script: @escaping @Sendable (ScriptedServer.Peer) -> Void
    ) async throws -> HTTPFailure? {
        let server = try ScriptedServer { peer, _ in
            _ = peer.head()
            script(peer)
        }
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: silence)
        do {
            _ = try await transport.send("PUT", server.url, [], body)
            return nil
        } catch {
            return error
        }
    }

    private func isLost(_ failure: HTTPFailure?) -> Bool {
        if case .lost = failure { true } else { false }
    }

    @Test func interimAnswersAreNoProgress() async throws {
        let failure = try await failure {
            $0.sendForEver("HTTP/1.1 100 Continue\r\n\r\n", pause: 20_000)
        }
        #expect(isLost(failure))
    }

    @Test func interimAnswersWithoutAPauseEndWithTheirSize() async throws {
        let failure = try await failure(silence: Self.hour) {
            $0.sendForEver("HTTP/1.1 100 Continue\r\n\r\n", pause: 0)
        }
        #expect(isLost(failure))
    }

    @Test func aHeadThatTricklesMeetsTheDeadline() async throws {
        let failure = try await failure {
            $0.send("HTTP/1.1 200 OK\r\nX-Slow: ")
            $0.sendForEver("x", pause: 20_000)
        }
        #expect(isLost(failure))
        let lines = try await self.failure {
            $0.send("HTTP/1.1 200 OK\r\n")
            $0.sendForEver("X: y\r\n", pause: 20_000)
        }
        #expect(isLost(lines))
    }

    @Test(arguments: ["X: y\r\n", "x"])
    func aHeadWithoutAnEndIsCutByItsSize(_ text: String) async throws {
        let failure = try await failure(silence: Self.hour) {
            $0.send("HTTP/1.1 200 OK\r\n")
            $0.sendForEver(String(repeating: text, count: 100), pause: 0)
        }
        #expect(isLost(failure))
    }

    @Test func silenceBeforeTheHeadEnds() async throws {
        #expect(isLost(try await failure { $0.waitForEnd() }))
    }

    @Test func aBodyThatNobodyTakesEnds() async throws {
        let size = 64 << 20
        let upload = try await S3Body(
            [UInt8](repeating: 7, count: size), size: UInt64(size),
            digest: SHA256.digest(of: [UInt8](repeating: 7, count: size))
        ).upload { () throws(DocFSError) in }
        let failure = try await failure(upload) { $0.waitForEndWithoutReading() }
        guard case .notTaken = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    @Test func aBodyThatStopsEnds() async throws {
        let server = try ScriptedServer { peer, _ in
            _ = peer.head()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
            peer.waitForEnd()
        }
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: 3 * Self.second)
        let reply = try await transport.send("GET", server.url, [], .none)
        await #expect(throws: DocFSError.self) { _ = try await reply.bytes(atMost: 100) }
    }

    @Test func chunksWithoutBytesAreNoProgress() async throws {
        let server = try ScriptedServer { peer, _ in
            _ = peer.head()
            peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")
            peer.sendForEver("x", pause: 20_000)
        }
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: 3 * Self.second)
        let reply = try await transport.send("GET", server.url, [], .none)
        await #expect(throws: DocFSError.self) { _ = try await reply.bytes(atMost: 100) }
    }

    @Test func whatIsSlowAndComesAllTheSameIsTaken() async throws {
        let server = try ScriptedServer { peer, _ in
            _ = peer.head()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\n")
            // In all for longer than a silence may last, and never silent for nearly as long.
            for _ in 0..<30 {
                usleep(400_000)
                peer.send("x")
            }
        }
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: 10 * Self.second)
        let reply = try await transport.send("GET", server.url, [], .none)
        #expect(try await reply.bytes(atMost: 100).count == 30)
    }

    @Test func anAnswerThatWaitsForItsReaderIsNoSilence() async throws {
        let size = 8 << 20
        let server = try ScriptedServer { peer, _ in
            _ = peer.head()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            peer.send([UInt8](repeating: 7, count: size))
        }
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: 5 * Self.second)
        let reply = try await transport.send("GET", server.url, [], .none)
        // Longer than a silence may last.
        try await Task.sleep(nanoseconds: 7 * Self.second)
        #expect(try await reply.bytes(atMost: size).count == size)
    }
}
