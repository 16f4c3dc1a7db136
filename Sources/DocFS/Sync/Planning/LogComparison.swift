/// Decides what becomes of what this device has when the container's change log was taken up once
/// more, and tells of another state than the two had agreed on (S23).
///
/// Nothing that is wholly here is given up for it, and nothing that the container has is deleted.
enum LogComparison: Hashable {
    /// Both have the same, or only the container has anything: planning goes on as ever.
    case asPlanned
    /// The container does not know it: it is made there once more.
    case new
    /// It comes beside what the container has, as a conflict version.
    case beside
    /// It is sent over what the container has, which stays among the versions.
    case over
    /// Name and description are sent once more; the bytes are the container's.
    case described

    /// - Parameters:
    ///   - base: what both had agreed on.
    ///   - remote: what the container has now.
    ///   - isHere: its bytes are wholly on this device; true for directories.
    ///   - isBeside: the container has these bytes as a conflict version of it already.
    init(
        _ repair: LogRepair, base: ItemState, remote: ItemState?, isHere: Bool, isBeside: Bool
    ) {
        guard let remote else {
            self = isHere ? .new : .asPlanned
            return
        }
        let isSame =
            base.kind == .directory || base.content.revision == remote.content.revision
            || base.content.holdsSameBytes(as: remote.content)
        switch repair {
        case _ where base.kind != remote.kind: self = .asPlanned
        case .device where isSame || !isHere: self = .described
        // Another device may have sent a newer one by now.
        case .device:
            self = remote.metadata.modified < base.metadata.modified ? .over : .beside
        case .container, .check: self = isSame || !isHere || isBeside ? .asPlanned : .beside
        }
    }
}
