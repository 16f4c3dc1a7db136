internal import Synchronization

/// Speaks HTTP to stores: libcurl on one thread, and errors that tell whether a request may have
/// had an effect.
///
/// HTTP/2 where a server offers it by TLS, else HTTP/1.1 on connections that are kept open.
/// Redirects are answers like any other, bodies come as they were sent (no compression is asked
/// for), TLS is 1.2 or newer with chain and host checked. The environment names proxies, but for
/// loopback.
///
/// `silence` ends a request that goes no further: no byte of its body taken, none of the answer's
/// come. The answer's head has that long as a whole, however it comes.
final class HTTPTransport: Sendable {
    private struct Pauses {
        var isClosed = false
        var last = 0
        var tasks: [Int: Task<Void, any Error>] = [:]
    }

    private let loop: HTTPLoop
    private let pauses = Mutex(Pauses())

    /// - Parameters:
    ///   - authorities: a PEM file with certificates that are trusted beside the system's.
    ///   - silence: nanoseconds without one byte in either direction after which a request ends.
    /// - Throws: `.invalidArgument` when the file holds no certificates.
    init(authorities: String?, silence: UInt64) throws(DocFSError) {
        var own: HTTPAuthorities?
        if let authorities { own = try HTTPAuthorities(path: authorities) }
        loop = HTTPLoop(
            silence: .nanoseconds(Int64(clamping: min(silence, 1 << 62))), authorities: own)
    }

    deinit { loop.close() }

    /// Ends all requests and pauses at once, also those that come later, as if their tasks were
    /// cancelled.
    func close() {
        loop.close()
        let tasks = pauses.withLock { pauses in
            pauses.isClosed = true
            return Array(pauses.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Sends a request and returns when the head of its answer is here.
    ///
    /// - Parameter patience: how long it may go no further; `nil` as long as all of them.
    func send(
        _ method: String, _ url: String, _ headers: [(String, String)], _ body: HTTPBody,
        patience: Duration? = nil
    ) async throws(HTTPFailure) -> HTTPReply {
        guard headers.allSatisfy({ Self.isOneLine($0.0) && Self.isOneLine($0.1) }) else {
            throw .notSent("a header is no line")
        }
        var upload: HTTPUpload?
        var bytes: [UInt8] = []
        switch body {
        case .none: break
        case .bytes(let given): bytes = given
        case .upload(let given): upload = given
        }
        if let upload, upload.size == 0 {
            // Nobody asks for a body of nothing: what is to be found out is found out before.
            await upload.send { _ in true }
            if let error = upload.error { throw .source(error) }
        }
        let hasNone = upload == nil && bytes.isEmpty && !["PUT", "POST"].contains(method)
        let transfer = HTTPTransfer(
            HTTPRequest(
                method: method, url: url, headers: headers,
                size: hasNone ? nil : upload?.size ?? UInt64(bytes.count),
                isStreamed: upload.map { $0.size > 0 } ?? false, patience: patience), on: loop)
        if !bytes.isEmpty { transfer.feed(bytes) }
        if let upload, upload.size > 0 { transfer.feed(upload) }
        loop.add(transfer)
        switch await transfer.head() {
        case .success(let head): return HTTPReply(head, HTTPAnswer(transfer, of: self))
        case .failure(let failure):
            await transfer.fed()
            throw Self.failure(failure, upload)
        }
    }

    /// Whether a header may hold this text.
    static func isOneLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    }

    private static func failure(_ failure: HTTPFailure, _ upload: HTTPUpload?) -> HTTPFailure {
        guard let upload, !upload.isComplete else { return failure }
        switch failure {
        case .lost(let reason): return .notTaken(reason)
        case .cancelled: return .source(.interrupted)
        case .notSent, .notTaken, .source: return failure
        }
    }

    /// What `body` returns, which may block: on a thread of its own.
    ///
    /// The transport's thread may be the caller's (``ThreadTurn``).
    func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            OwnThread.start(name: "http-aside") { continuation.resume(returning: body()) }
        }
    }

    /// Waits; ends early as cancelled when the task is, or the transport is closed.
    func pause(nanoseconds: UInt64) async throws(HTTPFailure) {
        let task = Task { try await Task.sleep(nanoseconds: nanoseconds) }
        let number = pauses.withLock { pauses in
            if pauses.isClosed { task.cancel() }
            pauses.last += 1
            pauses.tasks[pauses.last] = task
            return pauses.last
        }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        pauses.withLock { $0.tasks[number] = nil }
        if case .failure = result { throw .cancelled }
    }
}
