/// The body of an answer, which one task reads once.
///
/// Who lets go of it ends the transfer.
final class HTTPAnswer: Sendable {
    private let transfer: HTTPTransfer
    // A transport that nobody has ends what is under way.
    private let transport: HTTPTransport

    init(_ transfer: HTTPTransfer, of transport: HTTPTransport) {
        self.transfer = transfer
        self.transport = transport
    }

    deinit { transfer.cancel() }

    /// The next bytes, never none; `nil` at the end.
    func next() async throws(DocFSError) -> [UInt8]? {
        try await transfer.next().mapError(\.ofReading).get()
    }
}
