/// One of a user's own extended attributes (the `user.` namespace of xattr(7)).
package struct ExtendedAttribute: Hashable, Comparable, Sendable {
    /// The full name, `user.` included.
    package let name: String
    package let value: [UInt8]

    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    package static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
