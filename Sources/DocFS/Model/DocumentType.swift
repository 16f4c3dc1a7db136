/// A kind of document, as the configuration tells it: how new ones are made (S27), and what becomes
/// of their conflicts (S18).
package struct DocumentType: Hashable, Sendable {
    /// How new documents are named.
    package enum Naming: String, CaseIterable, Sendable {
        /// "Note", "Note 2", "Note 3"…
        case sequential
        /// "Note 2026-03-01 14.05.33"
        case timestamp
        case uuid
    }

    /// What is done about a conflict by itself.
    package enum Strategy: String, CaseIterable, Sendable {
        /// Nothing: the versions stay side by side until the user decides.
        case ask
        /// The version that was changed last stays.
        case newest
        /// The edits of both in one text, where they do not touch the same lines.
        case merge
    }

    /// What `docfs new` calls it.
    package var key: String
    /// Without its dot; empty for none.
    package var ending: String
    /// What a new document is called.
    package var name: String
    package var naming: Naming
    package var conflicts: Strategy

    package init(
        key: String, ending: String, name: String, naming: Naming, conflicts: Strategy = .ask
    ) {
        self.key = key
        self.ending = ending
        self.name = name
        self.naming = naming
        self.conflicts = conflicts
    }

    /// Whether a document of this name is one: whatever the case of its extension.
    package func covers(_ name: Name) -> Bool {
        let lower = name.description.lowercased()
        if ending.isEmpty { return !lower.dropFirst().contains(".") }
        return lower.hasSuffix("." + ending.lowercased())
    }
}
