internal import Synchronization

/// One request under way: where the task that made it, the task that feeds it and the transport's
/// thread meet.
///
/// It has ended once and for all when all of the answer is there, or with a failure. From then on
/// no byte of the request's body is handed out: what had not been sent by then never is.
final class HTTPTransfer: Sendable {
    /// How a transfer ends.
    enum Ending: Sendable {
        case whole
        case failed(HTTPFailure)
    }

    /// What the transport's thread gets of the request's body.
    enum Portion {
        case bytes(Int)
        /// More comes when the transfer is resumed.
        case later
        /// There will be no more.
        case none
    }

    private struct State {
        var head: HTTPHead?
        var ending: Ending?
        /// Bytes of the answer that nobody has taken.
        var answer: [UInt8] = []
        /// Pieces of the request's body, and what of the first one is sent.
        var pieces: ArraySlice<[UInt8]> = []
        var sent = 0
        /// What libcurl was told to wait for.
        var awaitsReader = false
        var awaitsPieces = false
        /// Whether somebody has begun to read the answer's body.
        var isRead = false
        var feeding: Task<Void, Never>?
    }

    let request: HTTPRequest
    private let loop: HTTPLoop
    private let state = Mutex(State())
    private let news = HTTPSignal()
    private let room = HTTPSignal()

    /// Bytes of the answer that wait for the reader.
    private static let longestAnswer = 1 << 20
    /// Pieces of the request's body that wait to be sent.
    private static let mostPieces = 2

    init(_ request: HTTPRequest, on loop: HTTPLoop) {
        self.request = request
        self.loop = loop
    }

    // MARK: The task that made it

    /// The head of the answer, as soon as it is there.
    ///
    /// A cancelled task ends the transfer.
    func head() async -> Result<HTTPHead, HTTPFailure> {
        await withTaskCancellationHandler {
            while true {
                let found: Result<HTTPHead, HTTPFailure>? = state.withLock { state in
                    if case .failed(.cancelled) = state.ending { return .failure(.cancelled) }
                    if let head = state.head { return .success(head) }
                    // What came before a failure is told first: it says more.
                    if case .failed(let failure) = state.ending { return .failure(failure) }
                    return nil
                }
                if let found { return found }
                await news.wait()
            }
        } onCancel: {
            cancel()
        }
    }

    /// The next bytes of the answer's body; `nil` at its end.
    ///
    /// What came before a failure is told first. A cancelled task ends the transfer.
    func next() async -> Result<[UInt8]?, HTTPFailure> {
        await withTaskCancellationHandler {
            while true {
                if let found = take() { return found }
                await news.wait()
            }
        } onCancel: {
            cancel()
        }
    }

    private func take() -> Result<[UInt8]?, HTTPFailure>? {
        var resumes = false
        let found: Result<[UInt8]?, HTTPFailure>? = state.withLock { state in
            state.isRead = true
            if case .failed(.cancelled) = state.ending { return .failure(.cancelled) }
            if state.answer.isEmpty {
                switch state.ending {
                case .failed(let failure): return .failure(failure)
                case .whole: return .success(nil)
                case nil: return nil
                }
            }
            resumes = state.awaitsReader
            defer {
                state.answer = []
                state.awaitsReader = false
            }
            return .success(state.answer)
        }
        if resumes { loop.resume(self) }
        return found
    }

    /// Ends the transfer at once, unless it has ended; it may have been carried out.
    func cancel() {
        if end(.failed(.cancelled)) { loop.remove(self) }
    }

    // MARK: The task that feeds it

    /// Sends the body of `upload`, in a task that ends with the transfer.
    func feed(_ upload: HTTPUpload) {
        let feeding = Task {
            await upload.send { await self.give($0) }
            // A body that cannot be had ends the request before its last byte is sent.
            if let error = upload.error, self.end(.failed(.source(error))) {
                self.loop.remove(self)
            }
        }
        let hasEnded = state.withLock { state in
            state.feeding = feeding
            return state.ending != nil
        }
        if hasEnded { feeding.cancel() }
    }

    /// Sends the only piece of a body.
    func feed(_ bytes: [UInt8]) { state.withLock { $0.pieces = [bytes] } }

    /// Returns when the body's source is not used any more.
    func fed() async { await state.withLock { $0.feeding }?.value }

    private func give(_ piece: [UInt8]) async -> Bool {
        while true {
            var resumes = false
            let isTaken: Bool? = state.withLock { state in
                if state.ending != nil { return false }
                guard state.pieces.count < Self.mostPieces else { return nil }
                resumes = state.awaitsPieces
                state.awaitsPieces = false
                state.pieces.append(piece)
                return true
            }
            if resumes { loop.resume(self) }
            if let isTaken { return isTaken }
            await room.wait()
        }
    }

    // MARK: The transport's thread

    /// Whether it may hold up others: not while its answer waits for a reader, who may be waiting
    /// for another transfer.
    var isBusy: Bool {
        state.withLock { $0.ending == nil && ($0.head == nil || $0.isRead) }
    }

    /// Whether libcurl waits for us, and not for the server.
    var isHeld: Bool { state.withLock { $0.awaitsReader || $0.awaitsPieces } }

    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// The answer's head is there; ``tell()`` says so.
    func begin(_ head: HTTPHead) { state.withLock { $0.head = $0.head ?? head } }

    /// Takes bytes of the answer's body; false when they are to come again later.
    ///
    /// ``tell()`` says that they are there.
    func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        state.withLock { state in
            if state.answer.count >= Self.longestAnswer {
                state.awaitsReader = true
                return false
            }
            state.answer.append(contentsOf: bytes)
            return true
        }
    }

    /// Wakes the task that waits for the answer.
    func tell() { news.signal() }

    /// Copies bytes of the request's body to `space`.
    func portion(into space: UnsafeMutableRawBufferPointer) -> Portion {
        let (portion, isPieceSent) = state.withLock { state in
            if state.ending != nil { return (Portion.none, false) }
            guard let piece = state.pieces.first else {
                state.awaitsPieces = true
                return (.later, false)
            }
            let count = min(space.count, piece.count - state.sent)
            piece.withUnsafeBytes { bytes in
                space.copyMemory(from: .init(rebasing: bytes[state.sent..<state.sent + count]))
            }
            state.sent += count
            guard state.sent == piece.count else { return (.bytes(count), false) }
            state.sent = 0
            state.pieces.removeFirst()
            return (.bytes(count), true)
        }
        if isPieceSent { room.signal() }
        return portion
    }

    /// Ends the transfer, unless it has ended.
    ///
    /// - Returns: whether it did.
    @discardableResult
    func end(_ ending: Ending) -> Bool {
        let (isFirst, feeding) = state.withLock { state in
            guard state.ending == nil else { return (false, Task<Void, Never>?.none) }
            state.ending = ending
            state.pieces = []
            return (true, state.feeding)
        }
        guard isFirst else { return false }
        feeding?.cancel()
        news.signal()
        room.signal()
        return true
    }
}
