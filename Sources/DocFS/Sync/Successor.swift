/// What came of a body that is not found any more.
package enum Successor: Sendable {
    /// Another program has put this in its place.
    case replaced(Body)
    /// It may be elsewhere, and a record is to tell where; or there is none any more.
    case unknown
}
