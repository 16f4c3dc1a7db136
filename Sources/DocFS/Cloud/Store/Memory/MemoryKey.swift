/// A name as a ``MemoryStore`` tells it from others.
enum MemoryKey: Hashable, Sendable {
    case exact(Name)
    /// Without case; Swift compares strings by canonical equivalence, so NFC and NFD are one.
    case folded(String)

    init(_ name: Name, folding: Bool) {
        self = folding ? .folded(name.description.lowercased()) : .exact(name)
    }
}
