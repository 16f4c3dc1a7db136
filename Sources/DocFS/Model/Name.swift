/// One component of a path: bytes, as Linux has them, never normalised or decoded.
///
/// A valid name is 1…255 bytes without `/` and NUL and is neither `.` nor `..`.
package struct Name: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    /// The longest name that a Linux directory holds, in bytes (NAME_MAX).
    package static let maximumLength = 255

    /// Takes bytes as they are; ``isValid`` tells whether a directory could hold them.
    package init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    package init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    /// Whether a Linux directory can hold this name.
    package var isValid: Bool {
        !bytes.isEmpty && bytes.count <= Name.maximumLength
            && !bytes.contains(where: { $0 == 0 || $0 == 0x2F })
            && bytes != [0x2E] && bytes != [0x2E, 0x2E]
    }

    /// The name for people: invalid UTF-8 shown as replacement characters.
    package var description: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (left: Name, right: Name) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension Name: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}
