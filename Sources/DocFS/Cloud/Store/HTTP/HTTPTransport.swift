internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Speaks HTTP/1.1 to stores: AsyncHTTPClient with its limits set, and errors that tell whether a
/// request may have had an effect.
///
/// Redirects are answers like any other, bodies come as they were sent (no compression is asked
/// for), TLS is 1.2 or newer with chain and host checked.
final class HTTPTransport: Sendable {
    private let client: HTTPClient

    /// - Parameters:
    ///   - authorities: a PEM file with certificates that are trusted beside the system's.
    ///   - silence: nanoseconds without one byte in either direction after which a request ends.
    /// - Throws: `.invalidArgument` when the file holds no certificates.
    init(authorities: String?, silence: UInt64) throws(DocFSError) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let authorities {
            guard let own = try? NIOSSLCertificate.fromPEMFile(authorities), !own.isEmpty else {
                throw .invalidArgument
            }
            tls.additionalTrustRoots = [.certificates(own)]
        }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(
                connect: .seconds(10), read: .nanoseconds(Int64(silence)),
                write: .nanoseconds(Int64(silence))),
            decompression: .disabled)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connections
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroup: Self.loops, configuration: configuration)
    }

    /// Connections to one server that are used at once.
    private static let connections = 16
    private static let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)

    deinit { client.shutdown { _ in } }

    /// Sends a request and returns when the head of its answer is here.
    func send(
        _ method: String, _ url: String, _ headers: [(String, String)], _ body: HTTPBody
    ) async throws(HTTPFailure) -> HTTPReply {
        var request = HTTPClientRequest(url: url)
        request.method = HTTPMethod(rawValue: method)
        // The client names the host itself, as the signature has it.
        request.headers = HTTPHeaders(headers.filter { $0.0 != "host" })
        switch body {
        case .none: break
        case .bytes(let bytes): request.body = .bytes(bytes)
        case .upload(let upload):
            request.body = .stream(upload, length: .known(Int64(upload.size)))
        }
        do {
            if case .upload(let upload) = body, upload.size == 0 {
                // The client asks nobody for a body of nothing.
                for try await _ in upload {}
            }
            return HTTPReply(try await client.execute(request, deadline: .distantFuture))
        } catch {
            throw Self.failure(error, body)
        }
    }

    private static func failure(_ error: any Error, _ body: HTTPBody) -> HTTPFailure {
        let failure = failure(error)
        guard case .upload(let upload) = body else { return failure }
        if let reason = upload.error { return .source(reason) }
        if upload.isComplete { return failure }
        switch failure {
        case .lost(let reason): return .notTaken(reason)
        case .cancelled: return .source(.interrupted)
        case .notSent, .notTaken, .source: return failure
        }
    }

    private static func words(of error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return Posix.words(of: error.errnoCode)
    }

    static func failure(_ error: any Error) -> HTTPFailure {
        if error is CancellationError { return .cancelled }
        if let error = error as? NIOConnectionError {
            let reason = error.connectionErrors.first.map { words(of: $0.error) } ?? "\(error)"
            return .notSent("no connection to \(error.host):\(error.port): \(reason)")
        }
        if let error = error as? IOError {
            let words = words(of: error)
            return Posix.isUnconnected(error.errnoCode)
                ? .notSent("no connection: \(words)") : .lost(words)
        }
        // A certificate of nobody's, or for another host (RFC 9525).
        if case NIOSSLError.handshakeFailed = error { return .notSent("TLS: \(error)") }
        if error is NIOSSLExtraError { return .notSent("TLS: \(error)") }
        guard let error = error as? HTTPClientError else { return .lost("\(error)") }
        switch error {
        case .cancelled: return .cancelled
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout,
            .alreadyShutdown, .invalidURL, .emptyHost:
            return .notSent(error.shortDescription)
        default: return .lost(error.shortDescription)
        }
    }
}
