/// The container protocol on any store: marker, change log, versions, trash, recovery.
///
/// Holds no state but its store: any task may call it. Documents are plain objects under their own
/// paths; everything of ours lies below `.docfs`.
package struct Container: Sendable {
    package let store: any CloudStore
    /// Where the change log may lie instead of in ``store``; `nil` where it never does.
    package let privateLog: (any PrivateLog)?
    package let device: CurrentDevice
    private let deviceName: String

    package init(store: any CloudStore, device: DeviceID, deviceName: String) {
        self.init(store: store, device: CurrentDevice(device), deviceName: deviceName)
    }

    package init(
        store: any CloudStore, privateLog: (any PrivateLog)? = nil, device: CurrentDevice,
        deviceName: String
    ) {
        self.store = store
        self.privateLog = privateLog
        self.device = device
        self.deviceName = deviceName
    }

    package var capabilities: StoreCapabilities { store.capabilities }

    // MARK: Attaching

    /// Makes sure that this is the container that it is taken for, and makes a new one where none
    /// was before.
    ///
    /// - Parameters:
    ///   - known: the container that this device's trees belong to, if it was attached before.
    ///   - new: the identity for a container that has none yet; `nil` when none is to be made.
    /// - Returns: the container's identity.
    /// - Throws: `.noContainer` when the marker is missing or another's although one was known,
    ///   `.corrupt` when the marker is of another layout.
    package func attach(known: ContainerID?, new: ContainerID?) async throws(DocFSError)
        -> ContainerID
    {
        try await store.attach(create: known == nil && new != nil)
        if let known {
            try await check(known)
            return known
        }
        if let found = try await marker() { return found }
        guard let new else { throw .noContainer(Self.markerMissing) }
        if let words = capabilities.writesRefused, !capabilities.logIsPrivate {
            throw .offline("there is no container, and none may be made: \(words)")
        }
        do {
            try await put(ContainerLayout.marker, ContainerCoding.encode(marker: new), .absent)
            return new
        } catch .refused {
            // Another device was first.
            guard let found = try await marker() else { throw .refused }
            return found
        }
    }

    private static let markerMissing = "the container's marker is missing"

    /// Makes sure that what lies there still is the container `known`: one request.
    ///
    /// - Throws: `.noContainer` when the marker is missing or another's.
    package func check(_ known: ContainerID) async throws(DocFSError) {
        switch try await marker() {
        case known: return
        case nil: throw .noContainer(Self.markerMissing)
        default: throw .noContainer("another container is there now")
        }
    }

    /// The identity in the container's marker; `nil` when there is none.
    package func marker() async throws(DocFSError) -> ContainerID? {
        guard let bytes = try await small(ContainerLayout.marker) else { return nil }
        return try ContainerCoding.decodeMarker(bytes)
    }

    // MARK: The change log

    /// Record `number`; `nil` when the log is not that long yet.
    package func record(_ number: UInt64) async throws(DocFSError) -> LogRecord? {
        guard number <= ContainerRules.lastRecord,
            let bytes = try await small(ContainerLayout.record(number))
        else { return nil }
        do throws(DocFSError) {
            var record = try ContainerCoding.decodeRecord(bytes)
            record.digest = SHA256.digest(of: bytes)
            return record
        } catch .corrupt(let words) {
            throw .corrupt("record \(number): \(words)")
        }
    }

    /// What record `number` hashes to, whatever it is; `nil` when there is none.
    package func digest(ofRecord number: UInt64) async throws(DocFSError) -> Digest? {
        try await small(ContainerLayout.record(number)).map { SHA256.digest(of: $0) }
    }

    /// The numbers of all records that the log has, in their order.
    package func records() async throws(DocFSError) -> [UInt64] {
        do throws(DocFSError) {
            return try await store.list(ContainerLayout.log)
                .compactMap { ContainerLayout.number(ofRecord: $0.path) }.sorted()
        } catch .notFound {
            return []
        }
    }

    /// Appends a record as `number`, after everything that it tells of is durable, and makes it
    /// durable itself: what it acknowledges is forgotten then.
    ///
    /// - Parameters:
    ///   - collected: where bodies lie that need not be kept any longer.
    ///   - previous: the digest of the record before it; `nil` for the first.
    /// - Returns: the record, or `nil` when another device has taken that number.
    package func append(
        _ changes: [Change], collected: [ItemPath] = [], as number: UInt64,
        after previous: Digest?, time: Int64
    ) async throws(DocFSError) -> LogRecord? {
        var record = LogRecord(
            device: device.id, deviceName: deviceName, time: time, previous: previous,
            changes: changes, collected: collected)
        guard number <= ContainerRules.lastRecord else {
            throw .offline("the container's change log has no number left")
        }
        try await store.makeDurable()
        let (path, bytes) = (ContainerLayout.record(number), try ContainerCoding.encode(record))
        record.digest = SHA256.digest(of: bytes)
        do {
            try await put(path, bytes, .absent)
        } catch .refused {
            // A lost reply may hide that it is there all the same.
            guard try await small(path) == bytes else { return nil }
        } catch .exists {
            guard try await small(path) == bytes else { return nil }
        }
        try await store.makeDurable()
        return record
    }

    // MARK: Small files

    func small(_ path: ItemPath) async throws(DocFSError) -> [UInt8]? {
        try await store.small(path, atMost: ContainerRules.largestFile)
    }

    @discardableResult
    func put(_ path: ItemPath, _ bytes: [UInt8], _ condition: WriteCondition)
        async throws(DocFSError) -> Revision?
    {
        let write = ObjectWrite(
            payload: .bytes(bytes, size: UInt64(bytes.count)), metadata: nil)
        return try await store.write(path, write, condition: condition, keeping: nil).revision
    }

    // MARK: Bodies

    /// Reads a range of a body into `sink`, wherever the container keeps it.
    ///
    /// - Throws: `.revisionGone` when it is at none of its places, `.documentRefused` when it may
    ///   be at one that is refused.
    package func fetch(_ body: StoredBody, range: Range<UInt64>, into sink: any ByteSink)
        async throws(DocFSError)
    {
        var refusal = DocFSError.revisionGone
        for place in body.places {
            do throws(DocFSError) {
                var revision = body.revision
                if isCopy(place) {
                    guard let copied = try await store.head(place)?.revision else { continue }
                    revision = copied
                }
                return try await store.read(place, range: range, expecting: revision, into: sink)
            } catch .refused {
                continue
            } catch .notFound {
                continue
            } catch .documentRefused(let reason) {
                refusal = .documentRefused(reason)
            }
        }
        throw refusal
    }

    /// Whether what lies at `place` may have another revision than the body that it is: versions
    /// and trash are written once, under names that nobody else uses, and on a store that cannot
    /// move a body they are copies.
    func isCopy(_ place: ItemPath) -> Bool {
        !capabilities.moves && place.isAtOrBelow(ItemPath([ContainerLayout.reserved]))
    }
}
