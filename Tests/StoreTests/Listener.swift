import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// Hears a store's events and waits for some.
final class Listener: Sendable {
    private struct State: Sendable {
        var all: [StoreEvent] = []
        /// Events before this one were waited for.
        var seen = 0
        var hasEnded = false
    }

    private let state = Shared(State())
    private let task: Task<Void, Never>

    /// - Parameter action: what is done about each event as soon as it is heard.
    init(
        _ events: AsyncStream<StoreEvent>,
        action: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) {
        let state = state
        task = Task {
            for await event in events {
                state.value.withLock { $0.all.append(event) }
                action(event)
            }
            state.value.withLock { $0.hasEnded = true }
        }
    }

    deinit { task.cancel() }

    var all: [StoreEvent] { state.value.withLock { $0.all } }
    var hasEnded: Bool { state.value.withLock { $0.hasEnded } }

    /// Waits until the store reports what happens now: a folder's watches take a moment.
    func ready() async throws {
        try await wait(for: .lookAtEverything)
        #expect(all.first == .lookAtEverything)
    }

    /// Waits for `event`, after those that were waited for before.
    func wait(for event: StoreEvent) async throws {
        try await eventually("\(event) among \(all)") {
            state.value.withLock { state in
                guard let index = state.all[state.seen...].firstIndex(of: event) else {
                    return false
                }
                state.seen = index + 1
                return true
            }
        }
    }
}
