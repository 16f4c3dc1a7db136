import CCurl
import TestSupport

@testable import DocFS

/// A request that blocks its thread, on a connection of its own: as other programs ask, and nothing
/// of ours but the C functions.
final class BlockingRequest {
    struct Answer {
        var status = 0
        /// By names in lower case.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
    }

    private var answer = Answer()
    private var rest: ArraySlice<UInt8>

    private init(_ body: [UInt8]) { rest = body[...] }

    /// - Throws: `.offline` without an answer within half a minute.
    static func send(
        _ method: String, _ url: String, _ headers: [(String, String)], _ body: [UInt8]
    ) throws -> Answer {
        let request = BlockingRequest(body)
        guard let easy = curl_easy_init() else { throw DocFSError.offline("no memory") }
        defer { curl_easy_cleanup(easy) }
        var lines: UnsafeMutablePointer<curl_slist>?
        for line in ["Expect:", "Accept:", "Content-Type:"] + headers.map({ "\($0): \($1)" }) {
            lines = curl_slist_append(lines, line)
        }
        defer { curl_slist_free_all(lines) }
        ccurl_set_text(easy, CURLOPT_URL, url)
        ccurl_set_text(easy, CURLOPT_NOPROXY, "*")
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, lines)
        ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, 30_000)
        switch method {
        case "GET": break
        case "HEAD": ccurl_set_long(easy, CURLOPT_NOBODY, 1)
        default:
            ccurl_set_text(easy, CURLOPT_CUSTOMREQUEST, method)
            if method != "DELETE" {
                ccurl_set_long(easy, CURLOPT_UPLOAD, 1)
                ccurl_set_size(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.count))
            }
        }
        var callbacks = callbacks
        ccurl_set_callbacks(easy, &callbacks, Unmanaged.passUnretained(request).toOpaque())
        let result = withExtendedLifetime(request) { curl_easy_perform(easy) }
        guard result == CURLE_OK else {
            throw DocFSError.offline(String(cString: curl_easy_strerror(result)))
        }
        return request.answer
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> BlockingRequest {
        Unmanaged<BlockingRequest>.fromOpaque(context!).takeUnretainedValue()
    }

    private static let callbacks = ccurl_callbacks(
        head: { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            BlockingRequest.of(context).take(line: String(decoding: line, as: UTF8.self))
            return size * count
        },
        body: { bytes, size, count, context in
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            BlockingRequest.of(context).answer.body += piece
            return size * count
        },
        upload: { bytes, size, count, context in
            let request = BlockingRequest.of(context)
            let piece = request.rest.prefix(size * count)
            request.rest = request.rest.dropFirst(piece.count)
            UnsafeMutableRawBufferPointer(start: bytes, count: size * count).copyBytes(from: piece)
            return piece.count
        },
        connected: { _, _, _, _, _ in CURL_PREREQFUNC_OK })

    private func take(line: String) {
        let line = line.prefix { $0 != "\r\n" && $0 != "\n" }
        if line.hasPrefix("HTTP/") {
            answer = Answer(
                status: line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            answer.headers[line[..<colon].lowercased()] = String(value)
        }
    }
}
