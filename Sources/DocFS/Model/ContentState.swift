/// How much of a document's bytes is on this device (`user.docfs.download`).
package enum ContentState: UInt8, Hashable, Sendable {
    /// A placeholder: no byte is here.
    case none = 0
    /// Some ranges are here.
    case partial = 1
    /// All bytes are here and verified, or were written here.
    case current = 2
}
