import Foundation
import TestSupport
import Testing

@testable import DocFS

/// TLS: chain and host are checked, and a private authority is trusted by option only.
@Suite struct HTTPTransportTests {
    /// Runs `body` with the port of a server whose certificate is for `name`, and the file of that.
    private func withServer(
        for name: String, _ body: (String, String) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "/docfs-tls-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (key, certificate) = (directory + "/key", directory + "/certificate")
        try run(
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", certificate,
            "-days", "2", "-subj", "/CN=docfs", "-addext", "subjectAltName=\(name)")
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        server.arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key, "-www",
        ]
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        server.standardInput = Pipe()
        try server.run()
        // Threads of tests may have signals blocked, and their children with them.
        defer {
            if server.isRunning { kill(server.processIdentifier, SIGKILL) }
            server.waitUntilExit()
        }
        var text = ""
        while !text.contains("ACCEPT 127.0.0.1:") || !text.hasSuffix("\n") {
            let piece = output.fileHandleForReading.availableData
            guard !piece.isEmpty else { throw DocFSError.offline("openssl does not serve") }
            text += String(decoding: piece, as: UTF8.self)
        }
        let line = text.split(separator: "\n").last { $0.hasPrefix("ACCEPT") } ?? ""
        try await body("https://127.0.0.1:\(line.split(separator: ":").last ?? "")/", certificate)
    }

    private func ask(_ url: String, authorities: String?) async throws -> Int {
        let transport = try HTTPTransport(authorities: authorities, silence: 60_000_000_000)
        return try await transport.send("GET", url, [], .none).status
    }

    private func isNotSent(_ url: String, authorities: String?) async throws -> Bool {
        do {
            _ = try await ask(url, authorities: authorities)
            return false
        } catch HTTPFailure.notSent {
            return true
        }
    }

    @Test func aPrivateAuthorityIsTrustedByOptionOnly() async throws {
        try await withServer(for: "IP:127.0.0.1") { url, certificate in
            let status = try await ask(url, authorities: certificate)
            #expect(status == 200)
            let isRefused = try await isNotSent(url, authorities: nil)
            #expect(isRefused)
        }
    }

    @Test func aCertificateForAnotherHostIsRefused() async throws {
        try await withServer(for: "DNS:elsewhere.test") { url, certificate in
            let isRefused = try await isNotSent(url, authorities: certificate)
            #expect(isRefused)
        }
    }

    @Test func aFileWithoutCertificatesIsRefused() {
        for path in ["/none", "/etc/passwd"] {
            #expect(throws: DocFSError.invalidArgument) {
                _ = try HTTPTransport(authorities: path, silence: 1)
            }
        }
    }
}
