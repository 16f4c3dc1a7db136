import Foundation
import TestSupport
import Testing

@testable import DocFS

/// Requests that end before they are done: cancelled, closed, cut off.
@Suite struct HTTPEndTests {
    private static let hour: UInt64 = 3_600_000_000_000

    /// Where a request is when it is ended.
    enum Phase: CaseIterable {
        case handshake, head, body, sending, source
    }

    /// Bytes of which the second piece comes when it is let go.
    private struct HeldPieces: HTTPPieces {
        let bytes: [UInt8]
        let isHeld: Bool
        let stopped: HTTPSignal
        let held: HTTPSignal
        var offset = 0

        mutating func next() async throws(DocFSError) -> [UInt8]? {
            if isHeld, offset > 0 {
                stopped.signal()
                await held.wait()
            }
            let piece = Array(bytes.dropFirst(offset).prefix(1 << 18))
            offset += piece.count
            return piece.isEmpty ? nil : piece
        }
    }

    /// A server that says when it stands still in `phase`, and when the connection has ended.
    ///
    /// While a body is sent it reads nothing before `goesOn` is open: the end comes behind
    /// the bytes.
    private func server(
        _ phase: Phase, reached: HTTPSignal, ended: HTTPSignal, goesOn: Gate
    ) throws -> ScriptedServer {
        try ScriptedServer { peer, _ in
            if phase != .handshake { _ = peer.head() }
            if phase == .body {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome")
            }
            reached.signal()
            if phase == .sending { goesOn.wait() }
            peer.waitForEnd()
            ended.signal()
        }
    }

    /// Has a request stand still in `phase`, ends it by `end`, and returns what came of it.
    private func outcome(
        _ phase: Phase, _ end: @Sendable (HTTPTransport, Task<[UInt8], any Error>) -> Void
    ) async throws -> Result<[UInt8], any Error> {
        let (reached, ended) = (HTTPSignal(), HTTPSignal())
        let (stopped, held) = (HTTPSignal(), HTTPSignal())
        let goesOn = Gate()
        let server = try server(phase, reached: reached, ended: ended, goesOn: goesOn)
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: Self.hour)
        let bytes = [UInt8](repeating: 7, count: 64 << 20)
        let upload = HTTPUpload(
            size: UInt64(bytes.count), digest: nil,
            pieces: {
                HeldPieces(bytes: bytes, isHeld: phase == .source, stopped: stopped, held: held)
            }, beforeLast: { () throws(DocFSError) in })
        let sends = phase == .sending || phase == .source
        let scheme = phase == .handshake ? "https" : "http"
        let task = Task {
            try await transport.send(
                sends ? "PUT" : "GET", "\(scheme)://127.0.0.1:\(server.port)/", [],
                sends ? .upload(upload) : .none
            ).bytes(atMost: 100)
        }
        await reached.wait()
        // It begins before there is a connection.
        if phase == .source { await stopped.wait() }
        end(transport, task)
        goesOn.open()
        // The connection goes with the request, whatever becomes of its source.
        await ended.wait()
        held.signal()
        return await task.result
    }

    private func isInterrupted(_ result: Result<[UInt8], any Error>) -> Bool {
        guard case .failure(let error) = result else { return false }
        switch error {
        case HTTPFailure.cancelled, HTTPFailure.source(.interrupted), DocFSError.interrupted:
            return true
        default: return false
        }
    }

    @Test(arguments: Phase.allCases)
    func aCancelledRequestGoesAtOnce(_ phase: Phase) async throws {
        let result = try await outcome(phase) { $1.cancel() }
        #expect(isInterrupted(result), "\(result)")
    }

    @Test(arguments: Phase.allCases)
    func aClosedTransportLetsGoOfEverything(_ phase: Phase) async throws {
        let result = try await outcome(phase) { transport, _ in transport.close() }
        #expect(isInterrupted(result), "\(result)")
    }

    @Test func aClosedTransportTakesNothingAnyMore() async throws {
        let server = try ScriptedServer { peer, _ in _ = peer.head() }
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: Self.hour)
        let pause = Task { try await transport.pause(nanoseconds: Self.hour) }
        transport.close()
        await #expect(throws: HTTPFailure.self) { try await pause.value }
        await #expect(throws: HTTPFailure.self) {
            try await transport.pause(nanoseconds: Self.hour)
        }
        await #expect(throws: HTTPFailure.self) {
            _ = try await transport.send("GET", server.url, [], .none)
        }
        #expect(server.connections == 0)
    }

    // MARK: Cut off

    private func reply(_ answer: String, resets: Bool = false) async throws -> HTTPReply {
        let server = try ScriptedServer { peer, _ in
            _ = peer.head()
            peer.send(answer)
            if resets {
                // The bytes before it are to arrive.
                usleep(100_000)
                peer.reset()
            }
        }
        defer { server.stop() }
        let transport = try HTTPTransport(authorities: nil, silence: Self.hour)
        return try await transport.send("GET", server.url, [], .none)
    }

    @Test func aBodyThatIsShorterThanAnnouncedIsOffline() async throws {
        for resets in [false, true] {
            let reply = try await reply(
                "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nsome", resets: resets)
            let sink = CollectingSink(size: 10)
            do throws(DocFSError) {
                try await reply.copy(0..<10, into: sink) { _ in }
                Issue.record("it is taken for whole")
            } catch {
                guard case .offline = error else {
                    Issue.record("\(error)")
                    return
                }
            }
            // A reset may take with it what was not read yet.
            #expect(resets ? sink.count <= 4 : sink.count == 4, "what came before counts")
        }
    }

    @Test func aChunkedBodyWithoutItsEndIsOffline() async throws {
        let reply = try await reply(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n")
        await #expect(throws: DocFSError.self) { _ = try await reply.bytes(atMost: 100) }
    }

    @Test func whatComesBehindTheEndIsNobodys() async throws {
        let reply = try await reply("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsome more")
        #expect(try await reply.bytes(atMost: 100) == Array("some".utf8))
    }

    @Test(arguments: [
        "", "HTTP/1.1", "no HTTP at all\r\n\r\n", "HTTP/1.1 999 Strange\r\n\r\n",
        "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: nonsense\r\n\r\n",
    ])
    func whatIsNoAnswerIsLost(_ answer: String) async throws {
        do {
            let reply = try await reply(answer)
            // At the latest, its body is no body.
            await #expect(throws: DocFSError.self) { _ = try await reply.bytes(atMost: 100) }
        } catch {
            guard let failure = error as? HTTPFailure, case .lost = failure else { throw error }
        }
    }
}
