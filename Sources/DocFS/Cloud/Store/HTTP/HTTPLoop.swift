internal import CCurl
internal import Synchronization

/// The thread that drives libcurl for one transport, and what is handed to it.
///
/// It sleeps in poll(2) until a connection has news, somebody hands it something, or a transfer has
/// waited too long. It lives until ``close()``.
final class HTTPLoop: Sendable {
    private struct Mailbox {
        var added: [HTTPTransfer] = []
        var removed: [HTTPTransfer] = []
        var resumed: [HTTPTransfer] = []
        var isClosed = false
        /// There is no multi handle any more.
        var isOver = false
        /// The thread was woken, and has not looked.
        var isTold = false
    }

    /// What the thread works on.
    private struct Work {
        var waiting: [HTTPTransfer] = []
        var running: [ObjectIdentifier: HTTPEasy] = [:]
    }

    private let mailbox = Mutex(Mailbox())
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
    private let silence: Duration
    private let authorities: HTTPAuthorities?

    /// Transfers that are under way at once, but for those whose answers wait for their readers and
    /// those whose bodies come from elsewhere: who reads one answer to send it on, or asks for
    /// something else meanwhile, never waits for himself.
    private static let most = 16
    /// Milliseconds between looks at what connections have taken, and without any transfer.
    private static let look = 1_000
    private static let rest = 600_000

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// - Parameter silence: see ``HTTPTransport``.
    init(silence: Duration, authorities: HTTPAuthorities?) {
        guard Self.isReady, let multi = curl_multi_init() else {
            preconditionFailure("libcurl has no memory")
        }
        self.multi = multi
        self.silence = silence
        self.authorities = authorities
        ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.most)
        OwnThread.start(name: "http") { [self] in
            let turn = ThreadTurn()
            turn.take { run(turn) }
        }
    }

    // MARK: Any thread

    /// Begins a transfer; it ends at once as cancelled when the loop is closed.
    func add(_ transfer: HTTPTransfer) {
        let isClosed = tell { box in
            if !box.isClosed { box.added.append(transfer) }
            return box.isClosed
        }
        if isClosed { transfer.end(.failed(.cancelled)) }
    }

    /// Lets go of a transfer that has ended, with its connection if that is in the middle of it.
    func remove(_ transfer: HTTPTransfer) { tell { $0.removed.append(transfer) } }

    /// There is room again for a transfer's answer, or more of its body.
    func resume(_ transfer: HTTPTransfer) { tell { $0.resumed.append(transfer) } }

    /// Ends all transfers as cancelled, now and ever after.
    func close() { tell { $0.isClosed = true } }

    @discardableResult
    private func tell<Value: Sendable>(_ change: (inout Mailbox) -> Value) -> Value {
        mailbox.withLock { box in
            let value = change(&box)
            if !box.isOver, !box.isTold {
                box.isTold = true
                curl_multi_wakeup(multi)
            }
            return value
        }
    }

    // MARK: The thread

    private func run(_ turn: ThreadTurn) {
        var work = Work()
        while obey(&work) {
            start(&work)
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            finish(&work)
            for easy in work.running.values { easy.tell() }
            var pause = endOverdue(&work)
            // Where the last have all ended in this turn, nobody else would begin the next.
            if hasRoom(work) { pause = 0 }
            turn.end()
            curl_multi_poll(multi, nil, 0, Int32(pause), nil)
        }
        for easy in work.running.values {
            easy.transfer.end(.failed(.cancelled))
            curl_multi_remove_handle(multi, easy.handle)
        }
        turn.end()
        mailbox.withLock { $0.isOver = true }
        curl_multi_cleanup(multi)
    }

    /// Takes over what others want; false when that is the end.
    private func obey(_ work: inout Work) -> Bool {
        let box = mailbox.withLock { box in
            let taken = box
            (box.added, box.removed, box.resumed, box.isTold) = ([], [], [], false)
            return taken
        }
        work.waiting += box.added
        if box.isClosed {
            for transfer in work.waiting { transfer.end(.failed(.cancelled)) }
            return false
        }
        for transfer in box.removed {
            work.waiting.removeAll { $0 === transfer }
            remove(transfer, &work)
        }
        for transfer in box.resumed { work.running[ObjectIdentifier(transfer)]?.resume() }
        return true
    }

    /// Whether a transfer waits that may begin.
    private func hasRoom(_ work: Work) -> Bool {
        !work.waiting.isEmpty && busy(work) < Self.most
    }

    /// How many transfers are under way that may hold up others.
    private func busy(_ work: Work) -> Int {
        work.running.values.count { $0.transfer.isBusy }
    }

    private func start(_ work: inout Work) {
        if work.waiting.isEmpty { return }
        var busy = busy(work)
        var waiting: [HTTPTransfer] = []
        for transfer in work.waiting where !transfer.hasEnded {
            guard transfer.request.isStreamed || busy < Self.most else {
                waiting.append(transfer)
                continue
            }
            busy += 1
            guard let easy = HTTPEasy(transfer, silence: silence, authorities: authorities),
                curl_multi_add_handle(multi, easy.handle) == CURLM_OK
            else {
                transfer.end(.failed(.notSent("no memory")))
                continue
            }
            work.running[ObjectIdentifier(transfer)] = easy
        }
        work.waiting = waiting
    }

    /// Takes transfers out that libcurl is done with.
    private func finish(_ work: inout Work) {
        var result = CURLE_OK
        while let context = ccurl_next_ended(multi, &result) {
            let easy = Unmanaged<HTTPEasy>.fromOpaque(context).takeUnretainedValue()
            easy.end(result)
            remove(easy.transfer, &work)
        }
    }

    /// Ends transfers that have waited too long.
    ///
    /// - Returns: milliseconds until it is to be looked again.
    private func endOverdue(_ work: inout Work) -> Int {
        if work.running.isEmpty { return Self.rest }
        let now = ContinuousClock.now
        var next = now + .milliseconds(Self.look)
        for easy in Array(work.running.values) {
            let patience = easy.transfer.request.patience ?? silence
            let end = easy.end(at: now, min(patience, silence))
            if end <= now {
                easy.transfer.end(.failed(.lost(HTTPFailure.silence)))
                remove(easy.transfer, &work)
            } else {
                next = min(next, end)
            }
        }
        return max(1, Int((next - now) / .milliseconds(1)))
    }

    private func remove(_ transfer: HTTPTransfer, _ work: inout Work) {
        guard let easy = work.running.removeValue(forKey: ObjectIdentifier(transfer)) else {
            return
        }
        curl_multi_remove_handle(multi, easy.handle)
    }
}
