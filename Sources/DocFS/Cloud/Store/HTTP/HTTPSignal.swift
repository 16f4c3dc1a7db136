internal import Synchronization

/// One task waits until others signal; no signal is lost, and several count as one.
final class HTTPSignal: Sendable {
    private struct State {
        var isSignalled = false
        var waiting: CheckedContinuation<Void, Never>?
    }
    private let state = Mutex(State())

    /// Lets the waiting task, or the next one to wait, go on.
    func signal() {
        let waiting = state.withLock { state in
            guard let waiting = state.waiting else {
                state.isSignalled = true
                return CheckedContinuation<Void, Never>?.none
            }
            state.waiting = nil
            return waiting
        }
        waiting?.resume()
    }

    /// Returns when there was a signal since the last return.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isSignalled = state.withLock { state in
                defer { state.isSignalled = false }
                if !state.isSignalled { state.waiting = continuation }
                return state.isSignalled
            }
            if isSignalled { continuation.resume() }
        }
    }
}
