/// Telling a look into a document from reading it (S10).
///
/// Who looks at headers gets the range that it asked for. Who reads on, asks for much at once, or
/// has seen a lot, wants all, unless its program is known for long looks.
extension OpenContent.State {
    /// Documents up to this size, in bytes, come in one piece and are read once they are verified;
    /// of larger ones each piece is read as it arrives.
    static let smallSize: UInt64 = 128 << 10
    /// Who asks for so much in one read, in bytes, or after as much without a gap, reads on.
    private static let longRead: UInt64 = 128 << 10
    /// Who has so many bytes reads the document, wherever they lie.
    private static let much: UInt64 = 1 << 20
    /// Ranges begin and end at multiples of this, in bytes.
    private static let lookAlignment: UInt64 = 8 << 10
    private static let readAlignment: UInt64 = 128 << 10

    /// Whether the whole document is to come for the sake of a read that has to wait.
    ///
    /// - Parameter isLook: whether its program is known for looks.
    func wantsAll(for range: Range<UInt64>, isLook: Bool) -> Bool {
        if wanted <= Self.smallSize { return true }
        if isLook { return false }
        return UInt64(range.count) >= Self.longRead
            || run(before: range.lowerBound) >= Self.longRead || here.count >= Self.much
    }

    /// The bytes worth fetching with a gap that somebody waits for.
    ///
    /// A look that goes on where the last one ended doubles what is here.
    func widened(_ gap: Range<UInt64>) -> Range<UInt64> {
        if wantsAll, wanted <= OpenContent.pieceSize { return 0..<wanted }
        let alignment = wantsAll ? Self.readAlignment : Self.lookAlignment
        let start = gap.lowerBound / alignment * alignment
        var end = gap.upperBound
        if !wantsAll {
            end = max(end, gap.lowerBound + min(run(before: gap.lowerBound), Self.longRead))
        }
        end = (end + alignment - 1) / alignment * alignment
        return start..<min(end, start + OpenContent.pieceSize)
    }

    /// How many bytes before `offset` are here without a gap.
    private func run(before offset: UInt64) -> UInt64 {
        guard let last = here.intersection(0..<offset).last, last.upperBound == offset else {
            return 0
        }
        return UInt64(last.count)
    }
}
