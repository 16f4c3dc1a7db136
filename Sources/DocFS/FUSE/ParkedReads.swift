internal import CFuse
internal import Glibc
internal import Synchronization

/// Reads whose bytes are on their way: requests without a thread (S7).
///
/// A parked request is answered exactly once, by whoever takes it out of the table first: the
/// read's completion, an interrupt, or the end of the session. Safe to use from any thread.
final class ParkedReads: Sendable {
    private struct Parked {
        let request: Request
        let read: PendingRead
        let thread: Int32
        /// The handle that is read: it keeps the descriptor of the answer open.
        let handle: any HandleTable.Object
        /// libfuse calls the interrupt function from within its registration, with a lock held
        /// that the reply would free: then the verdict waits until registration is over.
        var isRegistering = true
        var isInterrupted = false
    }

    private struct State {
        var reads: [UInt: Parked] = [:]
        var next: UInt = 1
        var isStopped = false
        var isWatching = false
    }

    private let state = Mutex(State())

    /// Answers `request` when `read` ends.
    func park(_ request: Request, _ read: PendingRead, handle: any HandleTable.Object) {
        let thread = fuse_req_ctx(request.raw)!.pointee.pid
        let (key, isStopped) = state.withLock { state in
            let key = state.next
            state.next += 1
            state.reads[key] = Parked(
                request: request, read: read, thread: thread, handle: handle)
            return (key, state.isStopped)
        }
        fuse_req_interrupt_func(
            request.raw, readInterrupted, UnsafeMutableRawPointer(bitPattern: key))
        let wasInterrupted = state.withLock { state in
            state.reads[key]?.isRegistering = false
            return state.reads[key]?.isInterrupted ?? false
        }
        read.whenEnded { [self] outcome in end(key, outcome) }
        if isStopped { read.cancel() } else if wasInterrupted { interrupted(key) }
    }

    /// The kernel says that a signal arrived at the reader, once per request and for any signal.
    func interrupted(_ key: UInt) {
        let parked: Parked? = state.withLock { state in
            state.reads[key]?.isInterrupted = true
            return state.reads[key]
        }
        guard let parked, !parked.isRegistering else { return }
        switch PendingSignals.verdict(forThread: parked.thread) {
        case .answer: parked.read.cancel()
        case .keepWaiting: watch()
        }
    }

    /// Ends every parked read, and every later one at once: the session stops.
    func stop() {
        let reads = state.withLock { state in
            state.isStopped = true
            return state.reads.values.map(\.read)
        }
        for read in reads { read.cancel() }
    }

    private func end(_ key: UInt, _ outcome: PendingRead.Outcome) {
        guard let parked = state.withLock({ $0.reads.removeValue(forKey: key) }) else { return }
        switch outcome {
        case .range(let descriptor, let offset, let length):
            parked.request.reply(from: descriptor, at: offset, length: length)
        case .bytes(let bytes): parked.request.reply(bytes)
        case .failed(let error):
            parked.request.fail(error)
        }
    }

    // MARK: Readers that were interrupted and wait on

    /// Looks again every 100 ms, since the kernel tells of no second signal, by a thread that
    /// lives only while there are such readers.
    private func watch() {
        let begins = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        if begins { OwnThread.start(name: "docfs-signals") { [self] in while lookAgain() {} } }
    }

    private func lookAgain() -> Bool {
        usleep(100_000)
        let waiting: [Parked]? = state.withLock { state in
            let waiting = state.reads.values.filter { $0.isInterrupted && !$0.isRegistering }
            if waiting.isEmpty { state.isWatching = false }
            return waiting.isEmpty ? nil : waiting
        }
        guard let waiting else { return false }
        for parked in waiting where PendingSignals.verdict(forThread: parked.thread) == .answer {
            parked.read.cancel()
        }
        return true
    }
}

/// libfuse's interrupt function: called with the request's lock held.
///
/// Replying there is fine.
private func readInterrupted(_ raw: fuse_req_t?, _ data: UnsafeMutableRawPointer?) {
    Unmanaged<Session>.fromOpaque(fuse_req_userdata(raw)!)._withUnsafeGuaranteedRef { session in
        session.parked.interrupted(UInt(bitPattern: data))
    }
}
