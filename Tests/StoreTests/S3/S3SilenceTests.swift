import Synchronization
import Testing

@testable import DocFS

/// S7, S32: a server that says nothing about some objects, as one of many disks behind it may hang.
@Suite struct S3SilenceTests {
    /// The first lines of all requests.
    private final class Asked: Sendable {
        private let lines = Mutex<[String]>([])

        func note(_ line: String) { lines.withLock { $0.append(line) } }
        func count(_ text: String) -> Int { lines.withLock { $0.count { $0.contains(text) } } }
    }

    private static let answer = """
        HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\nETag: "t"\r\n\
        Last-Modified: Sun, 22 Nov 2026 10:00:00 GMT\r\n\r\n
        """

    /// Runs `body` beside a server that never answers requests with one of `silent` in their first
    /// lines.
    private func with(
        silent: String..., body: (S3Client, S3Address, Asked) async throws -> Void
    ) async throws {
        let asked = Asked()
        let server = try ScriptedServer { peer, _ in
            guard let head = peer.head() else { return }
            let line = String(head.prefix { $0 != "\r\n" })
            asked.note(line)
            if !silent.contains(where: line.contains) {
                peer.send(Self.answer)
                peer.endSending()
            }
            peer.waitForEnd()
        }
        defer { server.stop() }
        let address = S3Outside.address(port: server.port)
        let client = S3Client(
            address, credentials: S3Outside.source(),
            try HTTPTransport(authorities: nil, silence: 1_000_000_000))
        try await body(client, address, asked)
    }

    private func error(_ body: () async throws -> Void) async -> DocFSError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DocFSError
        }
    }

    private func isRefused(_ error: DocFSError?, _ request: String) -> Bool {
        guard case .documentRefused(let reason) = error else { return false }
        return reason == "no answer within the deadline (\(request))"
    }

    @Test func theDocumentAloneIsRefused() async throws {
        try await with(silent: "/stuck ") { client, _, asked in
            let objects = S3Objects(client: client)
            for _ in 0..<2 {
                let found = await error { _ = try await objects.head("stuck") }
                #expect(isRefused(found, "HEAD stuck"), "\(String(describing: found))")
            }
            // Once may be a dead connection; the second time that is not doubted.
            #expect(asked.count("/stuck ") == 3)
            #expect(asked.count("container.json") == 2)
            let other = try await objects.head("other")
            #expect(other != nil)
        }
    }

    @Test func aStoreThatSaysNothingAtAllIsOffline() async throws {
        try await with(silent: " ") { client, _, asked in
            let found = await error { _ = try await S3Objects(client: client).head("stuck") }
            guard case .offline = found else {
                Issue.record("\(String(describing: found))")
                return
            }
            #expect(asked.count("/stuck ") > 2)
        }
    }

    @Test func silenceAboutTheContainersOwnIsTheContainers() async throws {
        try await with(silent: "/log/") { client, _, _ in
            let key = ".docfs/log/0000000000000001.json"
            let found = await error { _ = try await S3Objects(client: client).head(key) }
            guard case .offline = found else {
                Issue.record("\(String(describing: found))")
                return
            }
        }
    }

    @Test func whatBecameOfAChangeIsUnknown() async throws {
        try await with(silent: "/stuck ") { client, address, asked in
            let found = await error {
                let request = S3Request("PUT", address, key: "stuck")
                _ = try await client.change(
                    request, payload: S3Client.emptyDigest
                ) { () throws(DocFSError) in
                    .none
                } look: { () throws(DocFSError) -> Int? in
                    nil
                }
            }
            guard case .outcomeUnknown(let reason, ofDocument: true) = found else {
                Issue.record("\(String(describing: found))")
                return
            }
            #expect(reason == "no answer within the deadline (PUT stuck)")
            #expect(asked.count("/stuck ") == 2)
        }
    }
}
