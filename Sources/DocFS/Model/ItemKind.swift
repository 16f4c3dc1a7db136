/// What kinds of item a container holds.
package enum ItemKind: UInt8, Hashable, Sendable, CaseIterable {
    case file = 1
    case directory = 2
    case symlink = 3
}
