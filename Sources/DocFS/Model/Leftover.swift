/// An object that its item has left behind: it goes, if it still is that.
package struct Leftover: Hashable, Sendable {
    /// Path in the container.
    package let place: ItemPath
    /// `nil` for a directory.
    package let revision: Revision?

    package init(place: ItemPath, revision: Revision?) {
        self.place = place
        self.revision = revision
    }
}
