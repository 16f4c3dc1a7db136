import Synchronization

/// What a test tells, or is told by, requests that are under way.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set(_ isSet: Bool) { value.store(isSet, ordering: .relaxed) }

    /// Returns when it is not set.
    func wait() async {
        // Until the test goes on.
        while isSet { try? await Task.sleep(nanoseconds: 2_000_000) }
    }
}
