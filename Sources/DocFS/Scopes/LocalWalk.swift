/// How a directory is reached that has no descriptor among the recently used ones.
struct LocalWalk: Sendable {
    /// The longest path that one system call takes (PATH_MAX), less its terminator.
    private static let maximumLength = 4095

    /// The nearest directory above that has a descriptor.
    let start: Descriptor
    /// Relative paths to be opened one after the other; one, unless the tree is very deep.
    let pieces: [[UInt8]]
    /// What is to be found at the end.
    let identity: LocalIdentity
    let isTop: Bool

    /// `names` go from the directory upwards to below `start`.
    init(start: Descriptor, namesUpwards names: [Name], identity: LocalIdentity, isTop: Bool) {
        self.start = start
        self.identity = identity
        self.isTop = isTop
        var pieces: [[UInt8]] = []
        var piece: [UInt8] = []
        for name in names.reversed() {
            if piece.count + 1 + name.bytes.count > LocalWalk.maximumLength {
                pieces.append(piece)
                piece = []
            }
            if !piece.isEmpty { piece.append(0x2F) }
            piece.append(contentsOf: name.bytes)
        }
        pieces.append(piece)
        self.pieces = pieces
    }
}
