/// What an item holds, by its kind.
package enum ItemContent: Hashable, Sendable {
    case file(Body)
    case directory
    /// Where the link points, as bytes; never followed by the daemon.
    case symlink(target: [UInt8], revision: Revision)

    package var kind: ItemKind {
        switch self {
        case .file: .file
        case .directory: .directory
        case .symlink: .symlink
        }
    }

    /// A file's bytes.
    package var body: Body? {
        if case .file(let body) = self { body } else { nil }
    }

    /// The store's token; directories have none.
    package var revision: Revision? {
        switch self {
        case .file(let body): body.revision
        case .directory: nil
        case .symlink(_, let revision): revision
        }
    }

    /// Whether both are the same bytes: a store may give them a new revision when only their times
    /// or their place changed.
    package func holdsSameBytes(as other: ItemContent) -> Bool {
        switch (self, other) {
        case (.file(let one), .file(let other)):
            one.size == other.size && one.digest != nil && one.digest == other.digest
        case (.symlink(let one, _), .symlink(let other, _)): one == other
        default: false
        }
    }
}
