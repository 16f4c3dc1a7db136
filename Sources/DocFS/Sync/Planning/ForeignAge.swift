/// From when on an object that no record explains is another program's, whatever is written beside
/// it: a device records what it has put into the store within seconds, or looks for it when it
/// comes back, and finds its bytes under the identity that others gave them.
package enum ForeignAge {
    /// Seconds by the store's clock.
    package static let settled: Int64 = 120

    /// Whether an object may be taken for another program's without asking the store for what is
    /// written beside it.
    ///
    /// - Parameter age: seconds for which the store has had it; `nil` where that is not known.
    package static func isSettled(_ age: Int64?) -> Bool {
        guard let age else { return false }
        return age >= settled
    }
}
