import DocFS

/// What a device says of itself, as `.docfs/status` does.
extension Device {
    private var health: ScopeHealth { daemon.catalog.bulletin.health(of: daemon.record.id) }

    var isOnline: Bool { health.isOnline }

    /// The last record that it has applied.
    var anchor: UInt64 {
        let scope = daemon.record.id
        let record = try? daemon.catalog.read { (read) throws(DocFSError) in try read.scope(scope) }
        return (record ?? nil)?.anchor ?? 0
    }

    /// Why something is left to do, in words: of the container, or of a document.
    var complaint: String? {
        let scope = daemon.record.id
        if let problem = health.problem { return problem }
        if health.heldDeletes > 0 { return "deletes wait for the user" }
        let failures = try? daemon.catalog.read { (read) throws(DocFSError) in
            try read.failures(scope: scope, limit: 1)
        }
        return failures?.first?.error
    }
}
