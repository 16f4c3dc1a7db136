internal import Synchronization

/// A read that waits for bytes to arrive (S7).
///
/// It ends exactly once: with an answer, or cancelled.
///
/// Safe to use from any thread. The completion runs on the thread that ends the read, at once when
/// it has ended before.
package final class PendingRead: Sendable {
    /// How a waiting read ends.
    package enum Outcome: Sendable {
        case range(descriptor: Int32, offset: UInt64, length: Int)
        case bytes([UInt8])
        case failed(DocFSError)
    }

    private enum State {
        case waiting((@Sendable (Outcome) -> Void)?, onCancel: (@Sendable () -> Void)?)
        case ended(Outcome)
    }

    private let state = Mutex<State>(.waiting(nil, onCancel: nil))

    package init() {}

    /// Registers who is to be told, once.
    package func whenEnded(_ completion: @escaping @Sendable (Outcome) -> Void) {
        let ended: Outcome? = state.withLock { state in
            switch state {
            case .ended(let outcome): return outcome
            case .waiting(_, let onCancel):
                state = .waiting(completion, onCancel: onCancel)
                return nil
            }
        }
        if let ended { completion(ended) }
    }

    /// Registers what to do when the reader gives up, once, before the read is handed out.
    package func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if case .waiting(let completion, _) = state {
                state = .waiting(completion, onCancel: action)
            }
        }
    }

    /// Ends the read with `outcome`, unless it has ended; whether it had not.
    @discardableResult
    package func end(_ outcome: Outcome) -> Bool {
        let (completion, ends): ((@Sendable (Outcome) -> Void)?, Bool) = state.withLock { state in
            guard case .waiting(let completion, _) = state else { return (nil, false) }
            state = .ended(outcome)
            return (completion, true)
        }
        completion?(outcome)
        return ends
    }

    /// Ends the read because its reader was interrupted.
    package func cancel() {
        let action: (@Sendable () -> Void)? = state.withLock { state in
            guard case .waiting(_, let onCancel) = state else { return nil }
            return onCancel
        }
        end(.failed(.interrupted))
        action?()
    }
}
