/// Documents that could not be read for no fault of theirs: their containers are out of reach, or
/// have not sent a byte for too long; and failures of others that the log has already.
struct Refusals: Sendable {
    /// So many documents of a scope are remembered: a backup that goes through a container offline
    /// has as many as there are.
    private static let capacity = 1_000

    private var reasons: [Int64: [Int64: DocFSError]] = [:]
    private var logged: [Int64: DocFSError] = [:]

    /// A read of the row `ino` was refused.
    ///
    /// - Returns: whether that is news.
    mutating func add(_ ino: Int64, _ scope: Int64, _ reason: DocFSError) -> Bool {
        let known = reasons[scope] ?? [:]
        if known[ino] == reason || known[ino] == nil && known.count >= Self.capacity {
            return false
        }
        reasons[scope, default: [:]][ino] = reason
        return true
    }

    func reason(of ino: Int64, scope: Int64) -> DocFSError? { reasons[scope]?[ino] }

    /// A scope is in reach.
    mutating func end(scope: Int64) {
        guard let known = reasons[scope] else { return }
        reasons[scope] = known.filter { $0.value == .deadline }
    }

    /// Bytes of a document have come: its scope is not silent.
    mutating func end(_ ino: Int64, scope: Int64) {
        guard let known = reasons[scope] else { return }
        reasons[scope] = known.filter { $0.key != ino && $0.value != .deadline }
    }

    /// A document failed.
    ///
    /// - Returns: whether the log is to have it: each failure of a document once, until its bytes
    ///   come.
    mutating func log(_ ino: Int64, _ error: DocFSError) -> Bool {
        if logged[ino] == error || logged[ino] == nil && logged.count >= Self.capacity {
            return false
        }
        logged[ino] = error
        return true
    }

    /// All bytes of a document are here, or nobody wants them any more.
    mutating func end(_ ino: Int64) { if !logged.isEmpty { logged[ino] = nil } }
}
