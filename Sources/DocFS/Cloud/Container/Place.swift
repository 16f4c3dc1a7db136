/// Where an item was and what it held: the precondition of a change.
package struct Place: Hashable, Sendable {
    package var parent: ItemID
    package var name: Name
    /// `nil` for directories.
    package var revision: Revision?

    package init(parent: ItemID, name: Name, revision: Revision?) {
        self.parent = parent
        self.name = name
        self.revision = revision
    }

    package init(of state: ItemState) {
        self.init(parent: state.parent, name: state.name, revision: state.content.revision)
    }
}
