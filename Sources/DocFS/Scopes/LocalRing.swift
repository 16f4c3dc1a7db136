/// A bounded set of files that takes the place of the ones it has held longest.
struct LocalRing {
    private var slots: [LocalFile?]
    private var hand = 0

    init(capacity: Int) { slots = Array(repeating: nil, count: capacity) }

    /// Puts `file` in and tells its slot, and who had to go.
    ///
    /// One for whom `spare` answers true is passed over.
    mutating func insert(_ file: LocalFile, sparing spare: (LocalFile) -> Bool = { _ in false })
        -> (slot: Int, displaced: LocalFile?)
    {
        while let held = slots[hand], spare(held) { advance() }
        let slot = hand
        let displaced = slots[slot]
        slots[slot] = file
        advance()
        return (slot, displaced)
    }

    mutating func remove(_ slot: Int) { slots[slot] = nil }

    private mutating func advance() {
        hand += 1
        if hand == slots.count { hand = 0 }
    }
}
