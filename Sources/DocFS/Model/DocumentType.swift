/// A kind of document that the user makes (S27), as the configuration tells it.
package struct DocumentType: Hashable, Sendable {
    /// How new documents are named.
    package enum Naming: String, CaseIterable, Sendable {
        /// "Note", "Note 2", "Note 3"…
        case sequential
        /// "Note 2026-03-01 14.05.33"
        case timestamp
        case uuid
    }

    /// What `docfs new` calls it.
    package var key: String
    /// Without its dot; empty for none.
    package var ending: String
    /// What a new document is called.
    package var name: String
    package var naming: Naming

    package init(key: String, ending: String, name: String, naming: Naming) {
        self.key = key
        self.ending = ending
        self.name = name
        self.naming = naming
    }
}
