/// A kind of document, as the configuration tells it: how new ones are made (S27), and what becomes
/// of their conflicts (S18).
package struct DocumentType: Hashable, Sendable {
    /// How new documents are named.
    package enum Naming: String, CaseIterable, Sendable {
        /// "Note", "Note 2", "Note 3"…
        case sequential
        /// "Note 2026-03-01 14.05.33"
        case timestamp
        /// "0ccb3be0-5e2a-4b1e-9d5c-0a3d5c1b2f4e", "Note-0ccb3be0-…" where there is a name
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
    /// What a new document is called, or its name begins with; `nil` where nobody said.
    package var name: String?
    package var naming: Naming
    package var conflicts: Strategy
    /// The media type of its documents, such as `text/markdown`; `nil` where nobody said.
    package var mime: String?

    package init(
        key: String, ending: String, name: String?, naming: Naming, conflicts: Strategy = .ask,
        mime: String? = nil
    ) {
        self.key = key
        self.ending = ending
        self.name = name
        self.naming = naming
        self.conflicts = conflicts
        self.mime = mime
    }

    /// What the names of new documents begin with; empty for none.
    package var title: String { name ?? (naming == .uuid ? "" : "Untitled") }

    /// Whether a document of this name is one: whatever the case of its extension.
    package func covers(_ name: Name) -> Bool {
        let lower = name.description.lowercased()
        if ending.isEmpty { return !lower.dropFirst().contains(".") }
        return lower.hasSuffix("." + ending.lowercased())
    }
}

extension [DocumentType] {
    /// The type of a document of this name: of several that cover it, the one with the longest
    /// extension.
    package func type(of name: Name) -> DocumentType? {
        var found: DocumentType?
        for type in self where type.ending.utf8.count > found?.ending.utf8.count ?? -1 {
            if type.covers(name) { found = type }
        }
        return found
    }
}
