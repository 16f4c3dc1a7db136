/// What is wrong with the bytes of a document that counts as wholly here.
package struct BodyDamage: Hashable, Sendable {
    /// Bytes of the content file; `nil` when there is none.
    package var here: UInt64?
    /// The store does not have what was here, as far as anybody knows.
    package var isEdit: Bool

    package init(here: UInt64?, isEdit: Bool) {
        self.here = here
        self.isEdit = isEdit
    }
}
