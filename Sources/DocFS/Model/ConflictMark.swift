/// What makes an item a conflict version (S16).
package struct ConflictMark: Hashable, Sendable {
    /// The item whose conflict version this is.
    package var document: ItemID
    /// The body of ``document`` that both sides began with.
    ///
    /// `nil` where there was none, or nobody knows.
    package var base: Revision?

    package init(of document: ItemID, madeFrom base: Revision? = nil) {
        self.document = document
        self.base = base
    }

    /// The same, of bytes that may have been made from anything.
    package var withoutBase: ConflictMark { ConflictMark(of: document) }

    /// The mark of bytes that make room for the store's version of `item`.
    ///
    /// - Parameters:
    ///   - remote: what the store's version is marked with.
    ///   - own: what they were marked with here; its base may differ from the store's.
    ///   - basis: the revision of `item` that they were made from.
    package init(
        aside item: ItemID, remote: ConflictMark?, own: ConflictMark?, madeFrom basis: Revision?
    ) {
        if let document = remote?.document {
            self.init(of: document, madeFrom: own?.document == document ? own?.base : nil)
        } else {
            self.init(of: item, madeFrom: basis)
        }
    }

    /// The mark of a conflict version whose bytes, which had this one, are replaced by bytes that
    /// have `other`.
    ///
    /// Its earlier bytes may be brought back: where the bases differ, neither is right for both.
    package func replaced(by other: ConflictMark) -> ConflictMark {
        self == other ? self : withoutBase
    }
}
