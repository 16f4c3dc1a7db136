/// What a synchronisation service may do to one document, as a state machine (R2).
///
/// After J. Hughes and others, "Mysteries of Dropbox: Property-Based Testing of a Distributed
/// Synchronization Service" (ICST 2016), with S20 in place of its rule for deletes. It knows what
/// users did and saw; when devices send and fetch is hidden, so all states are kept that explain
/// what was seen. It shares nothing with the planner.
struct DocumentModel {
    /// A document's text; `nil` where there is none.
    typealias Value = String?

    private struct Copy: Hashable {
        var value: Value
        /// Has what the store has, or what was made from it.
        var isFresh = true
        /// Has nothing to send.
        var isClean = true
    }

    private struct State: Hashable {
        var stored: Value
        var conflicts: Set<String> = []
        var copies: [Copy]
    }

    private var states: Set<State>
    /// Which conflicts there are at the end: conflicts never go, so that no other can arise.
    private let conflicts: Set<String>

    /// Nothing is anywhere at the beginning.
    init(devices: Int, conflicts: Set<String>) {
        self.conflicts = conflicts
        states = [State(stored: nil, copies: Array(repeating: Copy(value: nil), count: devices))]
    }

    /// A user of `device` sees `value`; false when nothing explains that.
    mutating func read(_ value: Value, on device: Int) -> Bool {
        pass()
        states = states.filter { $0.copies[device].value == value }
        return !states.isEmpty
    }

    /// A user of `device` who has just seen what is there replaces it by one of `values`.
    ///
    /// - Parameter mayFail: the device dies meanwhile: perhaps before, and perhaps when it had
    ///   noted that there is an edit, and no byte had changed.
    mutating func write(_ values: Set<Value>, on device: Int, mayFail: Bool = false) {
        var next: Set<State> = mayFail ? states : []
        for state in states {
            for value in values where mayFail || value != state.copies[device].value {
                var changed = state
                changed.copies[device].value = value
                changed.copies[device].isClean = false
                next.insert(changed)
            }
        }
        states = next
    }

    /// Whether all devices may come to rest with this value.
    mutating func rests(at value: Value) -> Bool {
        pass()
        return states.contains { state in
            state.stored == value && state.conflicts == conflicts
                && state.copies.allSatisfy { $0.isClean && $0.isFresh && $0.value == value }
        }
    }

    /// Adds all that can come about without a user.
    private mutating func pass() {
        var rest = Array(states)
        while let state = rest.popLast() {
            for device in state.copies.indices {
                for next in [sent(state, device), fetched(state, device)] {
                    if let next, states.insert(next).inserted { rest.append(next) }
                }
            }
        }
    }

    private func sent(_ state: State, _ device: Int) -> State? {
        let copy = state.copies[device]
        guard !copy.isClean else { return nil }
        var next = state
        next.copies[device].isClean = true
        if copy.isFresh || state.stored == nil {
            guard copy.value != state.stored else { return next }
            next.stored = copy.value
            for other in next.copies.indices { next.copies[other].isFresh = other == device }
        } else if let text = copy.value, text != state.stored {
            guard conflicts.contains(text) else { return nil }
            next.conflicts.insert(text)
        }
        return next
    }

    private func fetched(_ state: State, _ device: Int) -> State? {
        guard !state.copies[device].isFresh, state.copies[device].isClean else { return nil }
        var next = state
        next.copies[device] = Copy(value: state.stored)
        return next
    }
}
