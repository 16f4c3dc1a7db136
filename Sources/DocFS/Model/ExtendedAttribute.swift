/// One of a user's own extended attributes (the `user.` namespace of xattr(7)).
package struct ExtendedAttribute: Hashable, Comparable, Sendable {
    /// The full name, `user.` included.
    package let name: String
    package let value: [UInt8]

    /// The longest name, in bytes (XATTR_NAME_MAX of Linux).
    package static let maximumName = 255
    /// The largest value, in bytes (XATTR_SIZE_MAX of Linux).
    package static let maximumValue = 65_536
    /// Bytes of all names and values of one item, at most.
    package static let maximumSum = 262_144

    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// Bytes of its name and its value.
    package var size: Int { name.utf8.count + value.count }

    package static func < (left: Self, right: Self) -> Bool { left.name < right.name }
}
