/// How a file is reached.
enum LocalWay: Sendable {
    /// The very file. `isOpened` is false for O_PATH descriptors.
    case descriptor(Descriptor, isOpened: Bool)
    /// A name that it had when it was seen last: to be checked against `identity`.
    case name(Name, parent: FileNumber, identity: LocalIdentity)
    /// There is no way (left).
    case none
}
