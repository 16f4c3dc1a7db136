/// The answer to a request: its head, and a body that is read once.
struct HTTPReply: Sendable {
    private let head: HTTPHead
    private let answer: HTTPAnswer

    init(_ head: HTTPHead, _ answer: HTTPAnswer) {
        self.head = head
        self.answer = answer
    }

    var status: Int { head.status }

    /// All headers, with their names in lower case.
    var fields: [(name: String, value: String)] { head.fields }

    /// The first header of that name, which is in lower case.
    subscript(name: String) -> String? { head.fields.first { $0.name == name }?.value }

    /// The length that the head announces.
    var announcedSize: UInt64? { self["content-length"].flatMap { UInt64($0) } }

    /// The body as one of an upload.
    var pieces: HTTPReplyPieces { HTTPReplyPieces(answer) }

    /// How long a body that is wanted whole may take: silence ends it earlier.
    private static let longest = Duration.seconds(60)

    /// The whole body.
    ///
    /// - Throws: `.corrupt` when it has more than `limit` bytes, `.offline` when it trickles.
    func bytes(atMost limit: Int) async throws(DocFSError) -> [UInt8] {
        var bytes: [UInt8] = []
        let end = ContinuousClock.now + Self.longest
        while let piece = try await answer.next() {
            guard ContinuousClock.now < end else {
                throw .offline("the store's answer takes too long")
            }
            guard bytes.count + piece.count <= limit else {
                throw .corrupt("the store sent more than \(limit) bytes")
            }
            if bytes.isEmpty { bytes = piece } else { bytes += piece }
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
        while let piece = try await answer.next() {
            guard UInt64(piece.count) <= range.upperBound - offset else {
                throw .corrupt("the store sent more than was asked for")
            }
            let result = piece.withUnsafeBytes { bytes in
                Result { () throws(DocFSError) in try sink.write(bytes, at: offset) }
            }
            try result.get()
            offset += UInt64(piece.count)
            progress(offset)
        }
        if offset < range.upperBound { throw .offline("the store's answer ended early") }
    }
}
