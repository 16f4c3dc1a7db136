/// An object of the container's own as the store keeps it: what is asked about its age.
package struct StoredObject: Hashable, Sendable {
    package var path: ItemPath
    package var kind: ItemKind
    /// `nil` for directories.
    package var revision: Revision?
    /// When it came to be at its path, or was changed there, by the store's own clock; `nil` where
    /// the store cannot tell.
    ///
    /// To be compared with others of the same store alone. A directory changes with its entries.
    package var stored: Timestamp?

    package init(path: ItemPath, kind: ItemKind, revision: Revision?, stored: Timestamp?) {
        self.path = path
        self.kind = kind
        self.revision = revision
        self.stored = stored
    }
}
