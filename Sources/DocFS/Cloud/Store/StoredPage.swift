/// A part of what lies below a directory of the container's own.
package struct StoredPage: Sendable {
    package var objects: [StoredObject]
    /// Where the next part begins; `nil` after the last.
    package var next: String?

    package init(objects: [StoredObject], next: String? = nil) {
        self.objects = objects
        self.next = next
    }
}
