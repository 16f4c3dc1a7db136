/// What a content file says of itself while it holds an edit that the store does not have.
///
/// Kept in an extended attribute of the file, so that edits outlive the catalog: see ``Salvage``.
/// Its bytes are four fields with NUL between them: the scope's name, the item as 32 hexadecimal
/// digits, the base revision (empty: none), and the path from the scope's root.
package struct EditLabel: Hashable, Sendable {
    package static let attribute = "user.docfs.edit"

    package var scope: String
    package var item: ItemID
    /// The revision that the edit was made from.
    package var basis: Revision?
    /// Where the document was when it was edited or renamed last.
    package var path: ItemPath

    package init(scope: String, item: ItemID, basis: Revision?, path: ItemPath) {
        self.scope = scope
        self.item = item
        self.basis = basis
        self.path = path
    }

    package init?(bytes: [UInt8]) {
        let fields = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4,
            let item = ItemID(text: String(decoding: fields[1], as: UTF8.self))
        else { return nil }
        scope = String(decoding: fields[0], as: UTF8.self)
        self.item = item
        basis = fields[2].isEmpty ? nil : Revision(String(decoding: fields[2], as: UTF8.self))
        path = ItemPath(bytes: Array(fields[3]))
        if path.isRoot { return nil }
    }

    package var bytes: [UInt8] {
        Array("\(scope)\0\(item)\0\(basis?.token ?? "")\0".utf8) + path.bytes
    }
}
