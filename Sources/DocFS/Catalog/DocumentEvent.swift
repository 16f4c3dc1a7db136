/// Something happened to a document or directory, for `.docfs/events`.
package struct DocumentEvent: Hashable, Sendable {
    /// Who did it.
    package enum Author: Hashable, Sendable {
        /// A program on this device, or DocFS itself.
        case here
        /// Another device, by its name.
        case device(String)
    }

    /// What only some kinds tell.
    package enum Detail: Hashable, Sendable {
        /// Where it was, from the scope's root.
        case from(ItemPath)
        /// The conflict version, from the scope's root.
        case sibling(ItemPath)
        /// When the version that it is about was saved: seconds since 1970.
        case saved(Int64)
        /// What the user wants to have here of it.
        case pin(PinState)
    }

    /// What stands for `Local/` among the scopes.
    package static let local: Int64 = 0

    package var kind: Kind
    package var scope: Int64
    /// `nil` for events of a whole scope.
    package var item: ItemID?
    /// From the scope's root.
    package var path: ItemPath?
    package var time: Timestamp
    /// `nil` where that is not known: another program in the store, or a device whose record was
    /// read before the daemon was started.
    package var author: Author?
    package var detail: Detail?
    package var sentence: String?

    package init(
        kind: Kind, scope: Int64, item: ItemID?, path: ItemPath?, time: Timestamp,
        by author: Author? = .here, detail: Detail? = nil, sentence: String? = nil
    ) {
        self.kind = kind
        self.scope = scope
        self.item = item
        self.path = path
        self.time = time
        self.author = author
        self.detail = detail
        self.sentence = sentence
    }
}
