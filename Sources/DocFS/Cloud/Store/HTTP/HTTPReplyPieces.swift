/// The body of an answer, on its way into another request.
struct HTTPReplyPieces: HTTPPieces {
    private let answer: HTTPAnswer

    init(_ answer: HTTPAnswer) { self.answer = answer }

    mutating func next() async throws(DocFSError) -> [UInt8]? { try await answer.next() }
}
