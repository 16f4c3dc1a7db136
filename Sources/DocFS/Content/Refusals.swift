/// Documents whose reads failed, without any fault of theirs: their containers are out of reach, or
/// have not sent a byte for too long.
struct Refusals: Sendable {
    /// So many are told of and remembered: a backup that goes through a container offline has as
    /// many as there are documents.
    private static let capacity = 1_000

    private var reasons: [Int64: (scope: Int64, reason: DocFSError)] = [:]

    /// A read of the row `ino` was refused.
    ///
    /// - Returns: whether that is news.
    mutating func add(_ ino: Int64, _ scope: Int64, _ reason: DocFSError) -> Bool {
        if reasons[ino] != nil || reasons.count >= Self.capacity { return false }
        reasons[ino] = (scope, reason)
        return true
    }

    func reason(of ino: Int64) -> DocFSError? { reasons[ino]?.reason }

    /// Bytes have come.
    mutating func end(_ ino: Int64) {
        if !reasons.isEmpty { reasons[ino] = nil }
    }

    /// Forgets what was out of reach in the scopes that are in reach.
    mutating func forget(where isInReach: (Int64) -> Bool) {
        if reasons.isEmpty { return }
        reasons = reasons.filter { $0.value.reason == .deadline || !isInReach($0.value.scope) }
    }
}
