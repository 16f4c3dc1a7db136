/// Which directories there are beside a name, asked for once where many names are taken at a time.
///
/// Whether a name is a directory's is a listing, a request as dear as the creation that it is asked
/// for. Who creates one document asks for its own name; who goes on creating in the same directory
/// gets one listing for all the names of a second.
actor S3Neighbours {
    /// What is below a prefix begins with these; `nil` when it is too much for one request.
    typealias Prefixes = Set<[UInt8]>

    /// Names that are asked for one by one in a directory, in one period.
    private static let fewNames = 4
    private static let period = Duration.seconds(1)

    private struct Period {
        var end: ContinuousClock.Instant
        var names = 0
        var listing: Task<Result<Prefixes?, DocFSError>, Never>?
        /// What was made since the listing began.
        var made: Prefixes = []
    }

    private var periods: [[UInt8]: Period] = [:]

    /// The prefixes below `directory`; `nil` when the name has to be asked for by itself.
    func prefixes(
        below directory: [UInt8],
        list: @escaping @Sendable () async throws(DocFSError) -> Prefixes?
    ) async throws(DocFSError) -> Prefixes? {
        let now = ContinuousClock.now
        if periods[directory].map({ $0.end <= now }) ?? true {
            periods = periods.filter { $0.value.end > now }
            periods[directory] = Period(end: now + Self.period)
        }
        periods[directory]?.names += 1
        guard let period = periods[directory], period.names > Self.fewNames else { return nil }
        let listing =
            period.listing
            ?? Task { await Result(awaiting: list) }
        periods[directory]?.listing = listing
        guard let listed = try await listing.value.get() else { return nil }
        return listed.union(periods[directory]?.made ?? period.made)
    }

    /// This device puts an object at `key`: each directory above it is there from now on.
    func make(_ key: [UInt8]) {
        if periods.isEmpty { return }
        for (directory, period) in periods where key.starts(with: directory) {
            guard let slash = key[directory.count...].firstIndex(of: 0x2F) else { continue }
            let prefix = Array(key[...slash])
            if !period.made.contains(prefix) { periods[directory]?.made.insert(prefix) }
        }
    }
}
