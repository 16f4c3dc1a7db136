import Synchronization
import Testing

@testable import DocFS

struct HashingSinkTests {
    @Test("A body is hashed in pieces that follow each other", arguments: [0, 1, 4 << 20, 9 << 20])
    func pieces(_ size: Int) async throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) }
        let digest = try await HashingSink.digest(of: UInt64(size)) {
            (piece, sink) throws(DocFSError) in
            #expect(piece.count <= 4 << 20)
            try bring(piece, of: bytes, to: sink)
        }
        #expect(digest == SHA256.digest(of: bytes))
    }

    private func bring(_ piece: Range<UInt64>, of bytes: [UInt8], to sink: HashingSink)
        throws(DocFSError)
    {
        let part = Array(bytes[Int(piece.lowerBound)..<Int(piece.upperBound)])
        let result: Result<Void, DocFSError> = part.withUnsafeBytes { part in
            do throws(DocFSError) {
                return .success(try sink.write(part, at: piece.lowerBound))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    @Test("A size that nobody can have costs no more than its first piece")
    func absurdSize() async {
        let asked = Mutex(0)
        await #expect(throws: DocFSError.notFound) {
            try await HashingSink.digest(of: .max) { (_, _) throws(DocFSError) in
                asked.withLock { $0 += 1 }
                throw .notFound
            }
        }
        #expect(asked.withLock(\.self) == 1)
    }
}
