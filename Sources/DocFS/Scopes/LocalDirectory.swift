/// A directory that was reached.
struct LocalDirectory: Sendable {
    let number: FileNumber
    /// O_PATH.
    let descriptor: Descriptor
    /// `st_dev`.
    let device: UInt64
    /// Whether a filesystem begins here, so that the hidden folder's name is not to be used.
    let isTop: Bool
}
