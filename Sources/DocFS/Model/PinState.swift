/// The user's wish to keep content on this device (`user.docfs.pin`).
package enum PinState: UInt8, Hashable, Sendable {
    /// As the directory above.
    case inherited = 0
    case pinned = 1
    case unpinned = 2
}
