/// The bytes of an upload, piece by piece, in order.
///
/// One task uses it.
protocol HTTPPieces {
    /// The next piece, never empty; `nil` after the last.
    mutating func next() async throws(DocFSError) -> [UInt8]?
}
