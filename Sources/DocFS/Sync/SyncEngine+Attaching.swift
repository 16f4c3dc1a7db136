/// Which container is this scope's, where a mount has several.
extension SyncEngine {
    /// Whether an earlier scope of the mount is still finding its container for the first time: of
    /// two that find one at once it is that one's (S33).
    ///
    /// Not waited for longer than two seconds: it may be out of reach.
    func mustWaitForElder() throws(DocFSError) -> Bool {
        guard scope.container == nil, clock.now() < begun + 2_000_000_000 else { return false }
        let (own, mounted) = (scope, settings.mounted)
        let elders = try catalog.read { (read) throws(DocFSError) in
            try read.scopes().filter {
                $0.id < own.id && $0.container == nil && mounted.contains($0.name)
            }
        }
        return elders.map { catalog.bulletin.health(of: $0.id) }
            .contains { !$0.isOnline && $0.problem == nil }
    }

    /// Makes `id` the container of this scope, unless another scope of the mount has it: a document
    /// that moves between two names of one place would be removed from it (S33).
    func take(_ id: ContainerID) throws(DocFSError) {
        let (own, mounted) = (scope, settings.mounted)
        let twin = try catalog.write { (write) throws(DocFSError) in
            let twin = try write.read.scopes().first { other in
                other.container == id && other.id != own.id && mounted.contains(other.name)
                    && (own.container == nil || other.id < own.id)
            }
            if twin == nil, own.container == nil {
                try write.setContainer(id, scope: own.id)
                try write.setFact(Self.firstReading(own.id), [])
                try notePrivateLog(write)
            }
            return twin
        }
        if let twin { throw .offline("it is the container that \(twin.name) shows already") }
        if own.container == nil { notePrivateLogIsCurrent() }
        scope.container = id
    }
}
