/// What a synchronisation service may do to one document, as a state machine (R2).
///
/// After J. Hughes and others, "Mysteries of Dropbox: Property-Based Testing of a Distributed
/// Synchronization Service" (ICST 2016), with S20 in place of its rule for deletes. It knows what
/// users did and saw; when devices send and fetch is hidden, so all states are kept that explain
/// what was seen. It shares nothing with the planner.
struct DocumentModel {
    /// A document's text; `nil` where there is none.
    typealias Value = String?

    /// Texts by number, of which 0 is no document: states are compared often.
    private typealias Number = Int
    private var numbers: [Value: Number] = [nil: 0]

    private struct Copy: Hashable {
        var value: Number
        /// How many of the store's values it has seen, or came to after.
        var seen = 1
        /// Has nothing to send.
        var isClean = true
        /// Was saved again as it was: an edit only where somebody else has deleted it.
        var isSavedAgain = false
    }

    private struct State: Hashable {
        /// What the store has had, one after the other, but for what all devices are past.
        var stored: [Number] = [0]
        /// Of those at the end, a bit for each.
        var conflicts: UInt64 = 0
        var copies: [Copy]

        /// The same state without what nobody will see any more.
        var trimmed: State {
            let past = (copies.map(\.seen).min() ?? 1) - 1
            guard past > 0 else { return self }
            var trimmed = self
            trimmed.stored.removeFirst(past)
            for device in copies.indices { trimmed.copies[device].seen -= past }
            return trimmed
        }

        func isFresh(_ device: Int) -> Bool { copies[device].seen == stored.count }

        /// Whether something that came into the store since was neither nothing nor what a device
        /// has: it may act on what it is told late.
        func isUnlikeNews(_ device: Int) -> Bool {
            stored[copies[device].seen...].contains { $0 != 0 && $0 != copies[device].value }
        }

        /// The value of the store that a device has seen last: having that is no edit.
        func seen(_ device: Int) -> Int { stored[copies[device].seen - 1] }

        /// The store has what a device has seen last: never anything else, or again.
        func hasSeen(_ device: Int) -> Bool { seen(device) == stored.last }

        /// Another device has replaced just these bytes, which it had seen: when they come to lie
        /// aside, its own take their place there.
        func isGivenUp(_ value: Int, by device: Int) -> Bool {
            copies.indices.contains { other in
                other != device && !copies[other].isClean && value != 0 && seen(other) == value
            }
        }
    }

    private var states: Set<State>
    /// There are too many ways to go through them all.
    private(set) var isUndecided = false
    private static let limit = 5_000
    /// Which conflicts there are, or may have been, at the end, each with its bit: no other can
    /// arise.
    private var conflicts: [Number: UInt64] = [:]
    /// The bits of those that are there.
    private var kept: UInt64 = 0

    /// Nothing is anywhere at the beginning.
    ///
    /// - Parameters:
    ///   - conflicts: what conflict versions hold at the end.
    ///   - former: what they may have held before.
    init(devices: Int, conflicts: Set<String>, former: Set<String> = []) {
        states = [State(copies: Array(repeating: Copy(value: 0), count: devices))]
        let others = former.subtracting(conflicts)
        precondition(conflicts.count + others.count <= UInt64.bitWidth, "more conflicts than steps")
        for text in conflicts {
            kept |= 1 << self.conflicts.count
            self.conflicts[number(text)] = 1 << self.conflicts.count
        }
        for text in others { self.conflicts[number(text)] = 1 << self.conflicts.count }
    }

    private mutating func number(_ value: Value) -> Number {
        if let known = numbers[value] { return known }
        numbers[value] = numbers.count
        return numbers.count - 1
    }

    /// A user of `device` sees `value`; false when nothing explains that.
    mutating func read(_ value: Value, on device: Int) -> Bool {
        pass()
        let value = number(value)
        states = states.filter { $0.copies[device].value == value }
        return !states.isEmpty
    }

    /// A user of `device` who has just seen what is there replaces it by one of `values`.
    ///
    /// - Parameter mayFail: the device dies meanwhile: perhaps before, and perhaps when it had
    ///   noted that there is an edit, and no byte had changed.
    mutating func write(_ values: Set<Value>, on device: Int, mayFail: Bool = false) {
        let values = values.map { number($0) }
        var next: Set<State> = mayFail ? states : []
        for state in states {
            for value in values {
                var changed = state
                if value == state.copies[device].value {
                    // Or it could not be saved.
                    next.insert(state)
                    changed.copies[device].isSavedAgain = value != 0
                    next.insert(changed)
                    if !mayFail { continue }
                }
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
        let value = number(value)
        return states.contains { state in
            state.stored.last == value && state.conflicts & kept == kept
                && state.copies.indices.allSatisfy { device in
                    let copy = state.copies[device]
                    return copy.isClean && state.isFresh(device) && copy.value == value
                }
        }
    }

    /// Adds all that can come about without a user.
    private mutating func pass() {
        var rest = Array(states)
        while let state = rest.popLast() {
            if states.count > Self.limit { return isUndecided = true }
            for device in state.copies.indices {
                var next = sent(state, device)
                if let fetched = fetched(state, device) { next.append(fetched) }
                for state in next {
                    let (isNew, state) = states.insert(state.trimmed)
                    if isNew { rest.append(state) }
                }
            }
        }
    }

    /// What may become of what a device has to send.
    private func sent(_ state: State, _ device: Int) -> [State] {
        let copy = state.copies[device]
        guard let stored = state.stored.last, !copy.isClean || copy.isSavedAgain else { return [] }
        var told = state
        told.copies[device].isSavedAgain = false
        told.copies[device].isClean = true
        var aside: State?
        if copy.value != 0, let conflict = conflicts[copy.value], state.isUnlikeNews(device) {
            aside = told
            aside?.conflicts |= conflict
        }
        // It is told of a save that changed nothing, and nobody need see anything of that, unless
        // somebody else has deleted what was saved, and made another there.
        if copy.isClean, stored != 0 {
            let isDeleted = state.stored[copy.seen...].contains(0)
            return [told] + (isDeleted ? [aside].compactMap(\.self) : [])
        }
        var results = [aside].compactMap(\.self)
        let isDropped = copy.value == 0 && !state.hasSeen(device)
        if copy.value == stored || copy.value == state.seen(device) || isDropped
            || state.isGivenUp(copy.value, by: device)
        {
            results.append(told)
        }
        // The same bytes as somebody else's converge with those, though they were replaced since.
        for index in copy.seen..<state.stored.count
        where copy.value != 0 && state.stored[index] == copy.value {
            var converged = told
            converged.copies[device].seen = index + 1
            results.append(converged)
        }
        if copy.value != stored, state.hasSeen(device) || stored == 0 {
            told.stored.append(copy.value)
            told.copies[device].seen = told.stored.count
            results.append(told)
        }
        return results
    }

    /// A device that was away reads the log from where it left off, and shows what was between.
    private func fetched(_ state: State, _ device: Int) -> State? {
        guard !state.isFresh(device), state.copies[device].isClean else { return nil }
        var next = state
        let seen = state.copies[device].seen
        next.copies[device] = Copy(value: state.stored[seen], seen: seen + 1)
        return next
    }
}
