/// What a transfer asks for, ready to be sent.
struct HTTPRequest: Sendable {
    let method: String
    let url: String
    let headers: [(String, String)]
    /// The announced bytes of the body; `nil` for a request without any.
    let size: UInt64?
    /// Whether a task brings the body while it is sent.
    let isStreamed: Bool
    /// How long it waits for a byte, where that is less than usual.
    var patience: Duration?
    /// Whether libcurl may send it once more when a connection that was kept open turns out to have
    /// been closed: whoever asks need not know that it may have been carried out twice.
    var mayRepeat: Bool { method == "GET" || method == "HEAD" }
}
