extension Change {
    /// Whether the item is where `state` has it, with the same content: what another device
    /// recorded of our work may be what became of it since.
    func agrees(with state: ItemState?) -> Bool {
        guard let after, let state else { return after == nil && state == nil }
        guard after.parent == state.parent, after.name == state.name else { return false }
        switch (after.content, state.content) {
        case (.file(let one), .file(let other)): return one.digest == other.digest
        case (.symlink(let one, _), .symlink(let other, _)): return one == other
        case (.directory, .directory): return true
        default: return false
        }
    }
}
