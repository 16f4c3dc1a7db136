internal import Synchronization

/// What a store does that it was not found to do when it was tried: mostly that its bucket has got
/// versioning, with which Ceph's gateway honours no condition any more.
extension S3Store {
    static let newlyVersioned = "the bucket has got versioning"
    static let contradiction =
        "the store refused to replace the very revision that it has: its conditions are tried again"
    /// The least time between two doubts.
    private static let doubtInterval = Duration.seconds(600)

    /// Whether no answer to a write had a version, for a store whose answers had none when it was
    /// tried.
    func explainsVersions(_ probe: S3Probe) -> Bool {
        probe.isVersioned || !objects.client.hasSeenVersions.load(ordering: .relaxed)
    }

    /// The store refused to replace the revision that is there.
    ///
    /// Its conditions are tried again before anything else, but no oftener than every ten minutes:
    /// a cache that answers with what was there before looks the same.
    func doubtReplacing() throws(DocFSError) {
        let isNew = found.withLock { found in
            let now = ContinuousClock.now
            if let last = found.lastDoubt, now < last + Self.doubtInterval { return false }
            (found.isDoubted, found.lastDoubt) = (true, now)
            return true
        }
        if isNew { throw .offline(Self.contradiction) }
    }

    /// Looks whether a condition was honoured, where the answer says that the bucket has got
    /// versioning since the store was tried, and takes back what was written where it was not.
    ///
    /// What was there before is there again then. What was written rightly stays, and the next call
    /// has the store tried again.
    ///
    /// - Throws: `.offline` where it was taken back, `.outcomeUnknown` where that is not known.
    func checkVersion(
        of object: S3Object, at key: String, _ condition: WriteCondition
    ) async throws(DocFSError) {
        guard let version = object.version, !probe.isVersioned else { return }
        // Also when the daemon stops: another device's body lies below.
        let check = Task {
            await Result(awaiting: { () async throws(DocFSError) in
                try await takeBack(version, of: object, at: key, condition)
            })
        }
        switch await check.value {
        case .success(false): return
        case .success(true): throw .offline(Self.newlyVersioned)
        case .failure(let error):
            throw .outcomeUnknown("\(Self.newlyVersioned): \(error.sentence)")
        }
    }

    /// - Returns: whether the version was not to be written, and is gone.
    private func takeBack(
        _ version: String, of object: S3Object, at key: String, _ condition: WriteCondition
    ) async throws(DocFSError) -> Bool {
        switch (try await objects.predecessor(of: version, at: key), condition) {
        case (.none, .absent): return false
        case (.object(let tag), .revision(let base)) where tag == base.token: return false
        case (.unknown, _): throw .refused
        default: break
        }
        if let failure = try await objects.delete(key, version: version) { throw failure.error }
        guard try await objects.own(key, object.metadata.operation) == nil else { throw .refused }
        return true
    }
}
