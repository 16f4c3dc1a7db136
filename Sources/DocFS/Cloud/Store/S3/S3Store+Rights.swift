internal import Synchronization

/// What the credentials may do.
extension S3Store {
    /// What the store refuses, in its words; nothing where it does what it is asked.
    struct Rights: Hashable, Sendable {
        var writesRefused: String?
        var deletesRefused: String?
    }

    /// What is written, and deleted again, to find that out: under one name, so that where nothing
    /// may be deleted there is only ever one of it.
    private static let trial: ItemPath = ".docfs/tmp/probe-rights"

    /// How long a store may take to refuse, in nanoseconds.
    private static let patience: UInt64 = 20_000_000_000
    /// The least time between two trials for which something was refused.
    private static let interval = Duration.seconds(600)

    /// Whether something was refused since the rights were tried, and it is time to try them again:
    /// at once for what the container needs.
    var rightsAreDoubted: Bool {
        if objects.client.wasForbiddenOwn.load(ordering: .relaxed) { return true }
        return objects.client.wasForbidden.load(ordering: .relaxed)
            && found.withLock { $0.nextTrial.map { $0 <= .now } ?? true }
    }

    /// Tries whether the credentials may write and delete, unless that is known: where they may do
    /// all, until something is refused, and where not, for ten minutes.
    ///
    /// Only a refusal says anything of that. A store may be full, or take writes and never answer:
    /// then what was known counts on.
    ///
    /// - Throws: `.interrupted`, and `.credentialsRefused` where they are good for nothing now.
    func tryRights() async throws(DocFSError) {
        let isDoubt = rightsAreDoubted
        let isKnown = found.withLock { found in
            guard let tried = found.lastTrial, !isDoubt else { return false }
            return found.rights == Rights() || tried + Self.interval > .now
        }
        if isKnown { return }
        try await tryNow()
        objects.client.wasForbidden.store(false, ordering: .relaxed)
        objects.client.wasForbiddenOwn.store(false, ordering: .relaxed)
        found.withLock { found in
            found.lastTrial = .now
            if isDoubt { found.nextTrial = .now + Self.interval }
        }
    }

    private func tryNow() async throws(DocFSError) {
        let trial = Task { await Result(awaiting: rights) }
        let end = Task {
            // Cancelled when the trial is over.
            try? await Task.sleep(nanoseconds: Self.patience)
            trial.cancel()
        }
        let result = await withTaskCancellationHandler {
            await trial.value
        } onCancel: {
            trial.cancel()
        }
        end.cancel()
        if Task.isCancelled { throw .interrupted }
        switch result {
        case .success(let rights?): found.withLock { $0.rights = rights }
        case .failure(.credentialsRefused(let reason)): throw .credentialsRefused(reason)
        case .success(nil), .failure: break
        }
    }

    /// - Returns: `nil` where nothing follows from what the store says.
    private func rights() async throws(DocFSError) -> Rights? {
        let key = try keys.key(Self.trial)
        let written = try await objects.put(key, [], S3Metadata(operation: Self.drawn()))
        if case .failure(let failure) = written {
            guard failure.isForbidden else { return nil }
            // Some stores say the same of credentials that have expired this moment.
            _ = try await objects.page(keys.prefix, isFlat: true, most: 1)
            return Rights(writesRefused: failure.reason)
        }
        guard let failure = try await objects.delete(key) else { return Rights() }
        return failure.isForbidden ? Rights(deletesRefused: failure.reason) : nil
    }

    /// Tries everything, and tells of it in words.
    ///
    /// - Returns: a table for people, and why the bucket is none to keep documents in.
    package func report() async throws(DocFSError) -> (table: String, refusal: String?) {
        try await tryNow()
        let rights = found.withLock(\.rights)
        if let words = rights?.writesRefused {
            return (
                "The credentials may not write, so that nothing else was tried: \(words)\n"
                    + "What is there is shown, and cannot be changed.", nil
            )
        }
        do throws(DocFSError) {
            try await probeAnew()
        } catch {
            guard found.withLock(\.refusal) != nil else { throw error }
        }
        let more = rights?.deletesRefused.map { "\nThe credentials may not delete: \($0)" } ?? ""
        return (probe.table + more, found.withLock(\.refusal))
    }
}
