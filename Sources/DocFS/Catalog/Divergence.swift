/// How a row's bytes differ from those of its basis.
package enum Divergence: UInt8, Hashable, Sendable {
    /// They are the basis's bytes.
    case none = 0
    /// They are those of another stored body, named by the row's source: the document was
    /// renamed over, or restored. The store can copy them by itself.
    case stored = 1
    /// They were written here.
    case written = 2
}
