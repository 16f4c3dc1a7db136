/// The files at the top of `.docfs`.
enum ControlReport: String, Hashable, Sendable, CaseIterable {
    case status
    case statusJSON = "status.json"
    case events
    case conflicts
    case check
}
