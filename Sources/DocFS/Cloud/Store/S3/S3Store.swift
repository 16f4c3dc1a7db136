internal import FoundationEssentials
internal import Synchronization

/// A store that is a bucket, or what lies below a prefix of one, on Amazon S3 or a server that
/// speaks its protocol (Amazon S3 API Reference).
///
/// Documents are plain objects under their own paths, with what we keep beside them in their
/// headers. A revision is an ETag; a directory is an empty object whose key ends with a slash, or
/// implied by what lies below it. Conditions are the store's own, as ``S3Probe`` found it to honour
/// them:
///
/// - A whole object is written by one PUT under a condition; a large one in parts, where the store
///   completes these under a condition.
/// - Copies below `.docfs`, whose names nobody contests, are the store's own; others only where it
///   copies under conditions, else the body is read and written under one.
/// - Where it does not delete under conditions, removing a document writes a tombstone under one,
///   which all calls take for nothing, and which creating replaces. An object below
///   `.docfs/tombstones` says beforehand where there is one, so that listings know where to look.
///   Both go a little later, where the store deletes what was not written since a given second.
///
/// Where a bucket gets versioning, all is tried again: Ceph's gateway honours no condition then
/// (``S3Probe/refusal``).
package final class S3Store: CloudStore {
    let keys: S3Keys
    let objects: S3Objects
    let neighbours = S3Neighbours()
    let limits: S3Limits
    let contentTypes: S3ContentTypes
    let found: Mutex<Found>

    /// What is known of the store.
    struct Found {
        /// `nil` before it is attached.
        var probe: S3Probe?
        /// Why it is not used, in words.
        var refusal: String?
        /// It has given an answer that does not agree with ``probe``.
        var isDoubted = false
        /// When that was so last.
        var lastDoubt: ContinuousClock.Instant?
        /// The store itself removes, or archives, what is old below `.docfs`.
        var expires = false
        /// Where there are tombstones, or only notes about them, by key.
        var burials: [[UInt8]: Burial] = [:]
        /// There may be some that are not in ``burials``.
        var mayHaveMoreTombstones = true
        /// When something is to be done about them; `nil` if never.
        var nextBurial: ContinuousClock.Instant? = .now
        /// `nil` until the store has said something about them.
        var rights: Rights?
        /// When these were last tried, and from when on they are again if something is refused.
        var lastTrial: ContinuousClock.Instant?
        var nextTrial: ContinuousClock.Instant?

        /// Whether tombstones that are not in ``burials`` may be looked for.
        var hasRoom: Bool { burials.count < S3Store.remembered / 2 }

        mutating func isDue(at moment: ContinuousClock.Instant) {
            nextBurial = min(nextBurial ?? moment, moment)
        }
    }

    /// Names the place; nothing is asked before ``attach(create:)``.
    ///
    /// - Parameter silence: nanoseconds without one byte after which a request ends.
    /// - Throws: `.invalidArgument` when the file of authorities holds none.
    package convenience init(_ address: S3Address, silence: UInt64, types: [DocumentType] = [])
        throws(DocFSError)
    {
        self.init(
            address,
            credentials: S3CredentialSource(
                file: address.credentialsFile, profile: address.profile),
            try HTTPTransport(authorities: address.authorities, silence: silence), types: types)
    }

    /// - Parameter probe: what is known of the store already.
    init(
        _ address: S3Address, credentials: S3CredentialSource, _ transport: HTTPTransport,
        types: [DocumentType] = [], probe: S3Probe? = nil, limits: S3Limits = S3Limits()
    ) {
        contentTypes = S3ContentTypes(types: types)
        found = Mutex(Found(probe: probe))
        self.limits = limits
        keys = S3Keys(prefix: address.prefix)
        objects = S3Objects(client: S3Client(address, credentials: credentials, transport))
    }

    package var capabilities: StoreCapabilities {
        var capabilities = probe.capabilities
        found.withLock { found in
            capabilities.expires = found.expires
            capabilities.tombstonesDue = found.nextBurial.map { max(.zero, $0 - .now).nanoseconds }
            capabilities.rightsAreKnown = found.rights != nil
            capabilities.writesRefused = found.rights?.writesRefused
            capabilities.deletesRefused = found.rights?.deletesRefused
        }
        capabilities.rightsAreDoubted = rightsAreDoubted
        return capabilities
    }

    /// What the store was found to do; nothing before it is attached.
    package var probe: S3Probe { found.withLock(\.probe) ?? S3Probe() }

    // MARK: Attaching

    /// Where what the probe found is kept.
    private static let results: ItemPath = ".docfs/s3.json"
    private static let largestResults = 1 << 16

    /// A bucket is never made.
    ///
    /// What the probe found is taken from the container where the same server answers, and the
    /// bucket's versioning is what it was then. That a bucket is not to be used is tried again at
    /// each start. Whose credentials may not write tries nothing else, and reads whatever bucket it
    /// is.
    ///
    /// - Throws: `.offline` where a bucket with versioning is not safe to share, and inside another
    ///   container.
    package func attach(create: Bool) async throws(DocFSError) {
        // A bucket that is missing, or not ours, is told apart here.
        let page = try await objects.page(keys.prefix, isFlat: true, most: 1)
        guard create || !page.objects.isEmpty || !page.prefixes.isEmpty else {
            throw .offline("nothing is left of the container")
        }
        // All at once: on a slow link each takes its time.
        async let recorded = Result(awaiting: { () async throws(DocFSError) in
            try await objects.askForWhatIsAbsent(keys.own + "tmp/\(Self.drawn())")
            return try await knownProbe(of: page.server)
        })
        async let trial: Result<Void, DocFSError> = Result(awaiting: {
            () async throws(DocFSError) in
            // Nothing is written into another container.
            try await refuseInside()
            try await tryRights()
        })
        async let rules = Result(awaiting: objects.lifecycle)
        async let status = Result(awaiting: objects.versioning)
        var known = try await recorded.get()
        // Who reads need not wait for the rest.
        if let known, known.refusal == nil {
            found.withLock { $0.probe = $0.probe ?? known }
        }
        try await trial.get()
        let rights = found.withLock(\.rights)
        let log = keys.own + "log/"
        let expires = try await rules.get().contains { $0.concerns(log) }
        found.withLock { $0.expires = expires }
        if rights?.writesRefused != nil {
            objects.client.hasSeenVersions.store(false, ordering: .relaxed)
            return found.withLock { found in
                found.probe = known ?? found.probe ?? S3Probe()
                (found.refusal, found.isDoubted) = (nil, false)
            }
        }
        let versioning = try await status.get()
        let (tried, isDoubted) = found.withLock { ($0.probe, $0.isDoubted) }
        // Of that only this device knows.
        if rights?.deletesRefused != nil { known = known ?? tried }
        if !isDoubted, let known, known.isTried(with: versioning), explainsVersions(known),
            known.refusal == nil || known == tried
        {
            try take(known)
        } else {
            try await probeAnew()
        }
        // They cost room and harm nobody: whoever attaches next goes on with them.
        if rights?.deletesRefused == nil { try? await abortLeftovers() }
    }

    package func isEmpty() async throws(DocFSError) -> Bool {
        // Our own may be there, and an object that marks the prefix.
        let page = try await objects.page(keys.prefix, isFlat: true, most: 3)
        return page.objects.allSatisfy { $0.key == keys.prefix }
            && page.prefixes.allSatisfy { $0 == keys.own }
    }

    /// What was found of the store when it was tried for this container, by this or another device;
    /// `nil` where it is to be tried, as when another server answers.
    private func knownProbe(of server: String) async throws(DocFSError) -> S3Probe? {
        let key = try keys.key(Self.results)
        guard let (_, bytes) = try await objects.small(key, atMost: Self.largestResults),
            // What makes no sense, or is of another version, is tried anew.
            let known = try? JSONDecoder().decode(S3Probe.self, from: Data(bytes)),
            known.version == S3Probe.current, known.server == server
        else { return nil }
        return known
    }

    /// Tries everything, and keeps what was found in the container: but not what was found where
    /// nothing may be deleted, which says little of the store.
    func probeAnew() async throws(DocFSError) {
        let server = try await objects.page(keys.prefix, isFlat: true, most: 1).server
        let versioning = try await objects.versioning()
        objects.client.hasSeenVersions.store(false, ordering: .relaxed)
        var probe = try await S3Prober(objects, keys).run()
        (probe.server, probe.versioning) = (server, versioning)
        if found.withLock({ $0.rights?.deletesRefused == nil }) { try await record(probe) }
        found.withLock { $0.isDoubted = false }
        try take(probe)
    }

    private func record(_ probe: S3Probe) async throws(DocFSError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        // Nothing in it cannot be encoded.
        guard let bytes = try? encoder.encode(probe) else { throw .corrupt("the probe's results") }
        if case .failure(let failure) = try await objects.put(
            try keys.key(Self.results), Array(bytes), S3Metadata(operation: Self.drawn()))
        {
            throw failure.error
        }
    }

    private func take(_ probe: S3Probe) throws(DocFSError) {
        let refusal = probe.refusal
        found.withLock { ($0.probe, $0.refusal) = (probe, refusal) }
        if let refusal { throw .offline(refusal) }
    }

    /// Ends a call that has no chance: cancelled, or before the store is attached as it is now.
    func begin() throws(DocFSError) {
        if Task.isCancelled { throw .interrupted }
        let (probe, refusal, isDoubted) = found.withLock { ($0.probe, $0.refusal, $0.isDoubted) }
        guard let probe else { throw .offline("the store is not attached") }
        if let refusal { throw .offline(refusal) }
        if isDoubted { throw .offline(Self.contradiction) }
        guard explainsVersions(probe) else { throw .offline(Self.newlyVersioned) }
    }

    static func drawn() -> OperationID {
        var random = SystemRandomNumberGenerator()
        return OperationID(using: &random)
    }

    // MARK: What S3 has not

    package func move(
        _ source: ItemPath, expecting expected: Revision?, to destination: ItemPath,
        condition: WriteCondition
    ) async throws(DocFSError) -> ObjectInfo {
        throw .notOffered
    }

    package func setMetadata(
        _ path: ItemPath, expecting expected: Revision?, _ metadata: ObjectMetadata
    ) async throws(DocFSError) -> ObjectInfo {
        throw .notOffered
    }

    /// What S3 acknowledges is kept.
    package func makeDurable() async throws(DocFSError) { try begin() }

    package func events() -> AsyncStream<StoreEvent> { AsyncStream { $0.finish() } }

    package func close() { objects.client.close() }

    package func space() async -> StoreSpace? { nil }
}
