internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// The answer to a request: its head, and a body that is read once.
struct HTTPReply: Sendable {
    let status: Int
    private let headers: HTTPHeaders
    private let body: HTTPClientResponse.Body

    init(_ response: HTTPClientResponse) {
        status = Int(response.status.code)
        headers = response.headers
        body = response.body
    }

    /// The first header of that name, in any case.
    subscript(name: String) -> String? { headers.first(name: name) }

    /// All headers whose names begin with `prefix`, which is in lower case; their names too.
    func headers(beginning prefix: String) -> [(String, String)] {
        headers.map { ($0.name.lowercased(), $0.value) }.filter { $0.0.hasPrefix(prefix) }
    }

    /// The length that the head announces.
    var announcedSize: UInt64? { self["content-length"].flatMap { UInt64($0) } }

    /// The body as one of an upload.
    var pieces: HTTPReplyPieces { HTTPReplyPieces(body) }

    /// How long a body that is wanted whole may take: silence ends it earlier.
    private static let longest = Duration.seconds(60)

    /// The whole body.
    ///
    /// - Throws: `.corrupt` when it has more than `limit` bytes, `.offline` when it trickles.
    func bytes(atMost limit: Int) async throws(DocFSError) -> [UInt8] {
        var bytes: [UInt8] = []
        let end = ContinuousClock.now + Self.longest
        do {
            for try await piece in body {
                guard ContinuousClock.now < end else {
                    throw DocFSError.offline("the store's answer takes too long")
                }
                guard bytes.count + piece.readableBytes <= limit else {
                    throw DocFSError.corrupt("the store sent more than \(limit) bytes")
                }
                bytes.append(contentsOf: piece.readableBytesView)
            }
        } catch let error as DocFSError {
            throw error
        } catch {
            throw HTTPTransport.failure(error).ofReading
        }
        return bytes
    }

    /// Hands the body to `sink` as the bytes of `range`, as they come.
    ///
    /// - Parameter progress: told after every piece how far the bytes go by now.
    /// - Throws: `.corrupt` when the body is longer, `.offline` when it ends early.
    func copy(
        _ range: Range<UInt64>, into sink: any ByteSink, progress: (UInt64) -> Void
    ) async throws(DocFSError) {
        var offset = range.lowerBound
        do {
            for try await piece in body {
                guard UInt64(piece.readableBytes) <= range.upperBound - offset else {
                    throw DocFSError.corrupt("the store sent more than was asked for")
                }
                try piece.withUnsafeReadableBytes { try sink.write($0, at: offset) }
                offset += UInt64(piece.readableBytes)
                progress(offset)
            }
        } catch let error as DocFSError {
            throw error
        } catch {
            throw HTTPTransport.failure(error).ofReading
        }
        if offset < range.upperBound { throw .offline("the store's answer ended early") }
    }
}
