/// What a change log of this device's own is to a scope, as the catalog remembers it.
enum PrivateLogUse {
    /// The scope's change log.
    case current
    /// Of no use any more: the container of another device has taken its place, of which not all
    /// is shown yet.
    case left

    init(fact: [UInt8]) { self = fact.isEmpty ? .current : .left }

    var fact: [UInt8] {
        switch self {
        case .current: []
        case .left: [1]
        }
    }
}
