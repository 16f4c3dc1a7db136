import Foundation
import Synchronization
import Testing

@testable import DocFS

/// What goes over a connection, and how often.
@Suite struct HTTPRequestTests {
    private static let hour: UInt64 = 3_600_000_000_000
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func transport() throws -> HTTPTransport {
        try HTTPTransport(authorities: nil, silence: Self.hour)
    }

    private func withServer(
        _ script: @escaping @Sendable (ScriptedServer.Peer, Int) -> Void,
        _ body: (ScriptedServer) async throws -> Void
    ) async throws {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        try await body(server)
    }

    /// The lines of the head that a server sees of a request, without the first one.
    private func head(_ method: String, _ path: String, _ body: HTTPBody = .none) async throws
        -> [String]
    {
        let seen = Mutex("")
        let server = try ScriptedServer { peer, _ in
            let head = peer.head() ?? ""
            seen.withLock { $0 = head }
            if let length = head.firstMatch(of: /Content-Length: (\d+)/) {
                _ = peer.body(Int(length.1) ?? 0)
            }
            _ = peer.send(Self.ok)
        }
        defer { server.stop() }
        _ = try await transport().send(
            method, server.url + path, [("host", "elsewhere"), ("x-empty", ""), ("x-own", "a b")],
            body)
        return seen.withLock { $0 }.replacing(":\(server.port)", with: "").split(separator: "\r\n")
            .map(String.init)
    }

    /// Sixteen are under way at once, and are answered when the last of them has come: the others
    /// begin, though no connection has any news for them.
    @Test func whoWaitsBeginsWhenAllOthersEndTogether() async throws {
        let gates = (0..<40).map { _ in Gate() }
        let count = Mutex(0)
        try await withServer { peer, _ in
            while peer.head() != nil {
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                let gate = gates[number / 16]
                if number % 16 == 15 { for _ in 0..<16 { gate.open() } }
                gate.wait()
                peer.send(Self.ok)
            }
        } _: { server in
            let transport = try transport()
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<(gates.count * 16) {
                    group.addTask {
                        let reply = try await transport.send("GET", server.url, [], .none)
                        return try await reply.bytes(atMost: 2).count
                    }
                }
                for try await length in group { #expect(length == 2) }
            }
        }
    }

    @Test func nothingIsAskedForThatNobodyWants() async throws {
        let own = ["Host: 127.0.0.1", "x-empty:", "x-own: a b"]
        #expect(
            try await head("GET", "b/../%2E/k%20?a=&b=%2F") == [
                "GET /b/../%2E/k%20?a=&b=%2F HTTP/1.1"
            ] + own)
        #expect(try await head("DELETE", "k") == ["DELETE /k HTTP/1.1"] + own)
        for method in ["PUT", "POST"] {
            #expect(
                Set(try await head(method, "k"))
                    == Set(["\(method) /k HTTP/1.1", "Content-Length: 0"] + own))
            // Large enough for libcurl to ask whether it may.
            let large = HTTPBody.bytes([UInt8](repeating: 7, count: 4 << 20))
            #expect(
                Set(try await head(method, "k", large))
                    == Set(["\(method) /k HTTP/1.1", "Content-Length: \(4 << 20)"] + own))
        }
    }

    @Test func aHeaderIsOneLine() async throws {
        await #expect(throws: HTTPFailure.self) {
            _ = try await transport().send(
                "GET", "http://127.0.0.1:1/", [("x", "a\r\nx-other: b")], .none)
        }
    }

    @Test func connectionsAreKeptOpen() async throws {
        try await withServer { peer, _ in
            while peer.head() != nil { peer.send(Self.ok) }
        } _: { server in
            let transport = try transport()
            for _ in 0..<5 {
                let reply = try await transport.send("GET", server.url, [], .none)
                #expect(try await reply.bytes(atMost: 2) == Array("ok".utf8))
            }
            #expect(server.connections == 1)
        }
    }

    /// The first connection answers once and then breaks off without an answer; how often the
    /// second one is asked.
    private func repetitions(_ method: String) async throws -> (isAnswered: Bool, asked: Int) {
        let asked = Mutex(0)
        let server = try ScriptedServer { peer, number in
            guard peer.head() != nil else { return }
            if number > 1 { asked.withLock { $0 += 1 } }
            peer.send(Self.ok)
            if number == 1 { _ = peer.head() }
        }
        defer { server.stop() }
        let transport = try transport()
        _ = try await transport.send("GET", server.url, [], .none).bytes(atMost: 2)
        do throws(HTTPFailure) {
            _ = try await transport.send(method, server.url, [], .none)
            return (true, asked.withLock { $0 })
        } catch {
            guard case .lost = error else { throw error }
            return (false, asked.withLock { $0 })
        }
    }

    @Test func whatMayChangeSomethingIsNeverSentTwice() async throws {
        for method in ["PUT", "POST", "DELETE"] {
            #expect(try await repetitions(method) == (false, 0))
        }
        #expect(try await repetitions("GET") == (true, 1))
    }

    @Test func answersThatNobodyReadsHoldUpNobody() async throws {
        let size = 4 << 20
        try await withServer { peer, _ in
            while let head = peer.head() {
                let isSmall = head.hasPrefix("GET /small")
                let count = isSmall ? 2 : size
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
                peer.send([UInt8](repeating: 7, count: count))
            }
        } _: { server in
            let transport = try transport()
            var replies: [HTTPReply] = []
            for _ in 0..<40 {
                replies.append(try await transport.send("GET", server.url, [], .none))
            }
            let small = try await transport.send("GET", server.url + "small", [], .none)
            #expect(try await small.bytes(atMost: 2).count == 2)
            for reply in replies { #expect(try await reply.bytes(atMost: size).count == size) }
        }
    }

    @Test func oneAnswerIsTheBodyOfAnotherRequest() async throws {
        let size = 20 << 20
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }
        let digest = SHA256.digest(of: bytes)
        let received = Mutex<Digest?>(nil)
        try await withServer { peer, _ in
            while let head = peer.head() {
                if head.hasPrefix("GET") {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                    peer.send(bytes)
                } else {
                    let body = peer.body(size)
                    received.withLock { $0 = SHA256.digest(of: body) }
                    peer.send(Self.ok)
                }
            }
        } _: { server in
            let transport = try transport()
            let reply = try await transport.send("GET", server.url, [], .none)
            let upload = HTTPUpload(
                size: UInt64(size), digest: digest, pieces: { reply.pieces },
                beforeLast: { () throws(DocFSError) in })
            let answer = try await transport.send("PUT", server.url, [], .upload(upload))
            #expect(answer.status == 200)
            #expect(received.withLock { $0 } == digest)
        }
    }

    @Test func theLastPieceGoesAfterAllIsFoundRight() async throws {
        let size = 1 << 20
        let bytes = [UInt8](repeating: 7, count: size)
        for (digest, expected) in [
            (SHA256.digest(of: [1]), DocFSError.bodyChanged), (SHA256.digest(of: bytes), .refused),
        ] {
            let count = Mutex<Int?>(nil)
            let ended = HTTPSignal()
            let server = try ScriptedServer { peer, _ in
                _ = peer.head()
                let body = peer.body(size)
                count.withLock { $0 = body.count }
                ended.signal()
            }
            defer { server.stop() }
            let upload = HTTPUpload(
                size: UInt64(size), digest: digest, pieces: { HTTPSourcePieces(bytes) },
                beforeLast: { () throws(DocFSError) in throw .refused })
            let transport = try transport()
            do throws(HTTPFailure) {
                _ = try await transport.send("PUT", server.url, [], .upload(upload))
                Issue.record("it is sent")
            } catch {
                guard case .source(let reason) = error, reason == expected else {
                    Issue.record("\(error)")
                    return
                }
            }
            await ended.wait()
            #expect(count.withLock { $0 ?? size } < size)
        }
    }
}
