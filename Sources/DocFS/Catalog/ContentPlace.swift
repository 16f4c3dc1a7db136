/// Where the content file of a row lies.
package enum ContentPlace: UInt8, Hashable, Sendable {
    /// In the state directory.
    case state = 0
    /// In the hidden folder on Local's filesystem: the document came from `Local/` (S24).
    case local = 1
}
