/// Where a row moved on to without its item (S24).
package enum Handover: Hashable, Sendable {
    case local
    /// Another cloud scope.
    case container(Int64)
}
