/// Where earlier and deleted bodies are read from.
///
/// Declared here, because the Control room reaches no store; composed where the mount is.
package protocol BodyReader: Sendable {
    /// Hands the bytes of `range` to `take`, piece by piece in any order, each with its place in
    /// the body; `take` may be called by several threads at once.
    ///
    /// Bytes of another revision are never handed over, and a body that is read whole is compared
    /// with its digest before this returns. Errors: `.offline` at once when the scope is known to
    /// be, `.revisionGone` when the body is nowhere any more, `.interrupted` when the task was
    /// cancelled, `.corrupt`, and what the store throws.
    func read(
        _ body: EarlierBody, range: Range<UInt64>,
        take: @escaping @Sendable (UnsafeRawBufferPointer, UInt64) -> Void
    ) async throws(DocFSError)
}
