/// Which newer bodies are brought before they take the place of the ones here (S9).
package enum FetchFirst: String, CaseIterable, Sendable {
    /// Those of documents whose bytes are here.
    case here
    /// Those of pinned documents.
    case pinned
    /// None: a placeholder shows each at once.
    case never

    /// Bytes of the largest body that is brought for a document that is not pinned: what is larger
    /// may be more than its user wants to travel.
    package static let largest: UInt64 = 64 << 20
    /// So many are brought for a document that nobody opens meanwhile: one that another device
    /// saves each minute is not fetched each minute for ever.
    package static let unused = 10
    /// So many in a row may give way to yet a newer one before they are whole: of a document that
    /// is saved faster than it travels, the newest version is worth more than one of long ago.
    package static let superseded = 3

    /// Whether the next one is brought.
    ///
    /// - Parameters:
    ///   - size: bytes.
    ///   - fetches: how many were brought since the document was used last.
    ///   - superseded: how many of these, the last ones, never became whole.
    package func applies(isPinned: Bool, size: UInt64, fetches: Int, superseded: Int) -> Bool {
        switch self {
        case .never: false
        case .pinned: isPinned
        case .here:
            isPinned
                || size <= Self.largest && fetches < Self.unused && superseded < Self.superseded
        }
    }
}
