/// A path below a container's root, as names; empty for the root itself.
package struct ItemPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var components: [Name]

    package static let root = ItemPath([])

    /// The most names that the path of an item in a container has: as many as the longest key of
    /// an S3 object, 1,024 bytes, holds with their slashes.
    package static let maximumDepth = 512

    package init(_ components: [Name]) {
        self.components = components
    }

    /// Splits `text` at slashes; empty components are dropped.
    package init(_ text: String) {
        self.components = text.utf8.split(separator: 0x2F).map { Name($0) }
    }

    /// Splits `bytes` at slashes; empty components are dropped.
    package init(bytes: [UInt8]) {
        self.components = bytes.split(separator: 0x2F).map { Name($0) }
    }

    /// Bytes, as ``bytes`` has them.
    package var length: Int {
        components.reduce(max(0, components.count - 1)) { $0 + $1.bytes.count }
    }

    package var isRoot: Bool { components.isEmpty }

    package var name: Name? { components.last }

    /// The directory that holds this path; the root's is the root.
    package var parent: ItemPath { ItemPath(Array(components.dropLast())) }

    package func appending(_ name: Name) -> ItemPath { ItemPath(components + [name]) }

    package func appending(_ path: ItemPath) -> ItemPath {
        ItemPath(components + path.components)
    }

    /// Whether this is `other` or lies below it.
    package func isAtOrBelow(_ other: ItemPath) -> Bool {
        components.starts(with: other.components)
    }

    /// The names joined by slashes, without a leading one.
    package var bytes: [UInt8] { Array(components.map(\.bytes).joined(separator: [0x2F])) }

    package var description: String { String(decoding: bytes, as: UTF8.self) }

    package static func < (left: ItemPath, right: ItemPath) -> Bool {
        left.components.lexicographicallyPrecedes(right.components)
    }
}

extension ItemPath: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}
