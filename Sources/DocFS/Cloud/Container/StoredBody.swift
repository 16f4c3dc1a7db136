/// A body that the container has already: its revision, and the paths where it may lie, the
/// likeliest first.
package struct StoredBody: Hashable, Sendable {
    package var revision: Revision
    package var places: [ItemPath]

    package init(revision: Revision, places: [ItemPath]) {
        self.revision = revision
        self.places = places
    }
}
