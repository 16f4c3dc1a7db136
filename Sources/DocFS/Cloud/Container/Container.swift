/// The container protocol on any store: marker, change log, versions, trash, recovery.
///
/// Holds no state but its store: any task may call it. Documents are plain objects under their own
/// paths; everything of ours lies below `.docfs`.
package struct Container: Sendable {
    package let store: any CloudStore
    private let device: DeviceID
    private let deviceName: String

    package init(store: any CloudStore, device: DeviceID, deviceName: String) {
        self.store = store
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
    /// - Throws: `.offline` when the marker is missing or another's although one was known (S23),
    ///   `.corrupt` when the marker is of another layout.
    package func attach(known: ContainerID?, new: ContainerID?) async throws(DocFSError)
        -> ContainerID
    {
        try await store.attach(create: known == nil && new != nil)
        if let found = try await marker() {
            guard known == nil || known == found else {
                throw .offline("another container is there now")
            }
            return found
        }
        guard known == nil, let new else { throw .offline("the container's marker is missing") }
        do {
            try await put(ContainerLayout.marker, ContainerCoding.encode(marker: new), .absent)
            return new
        } catch .refused {
            // Another device was first.
            guard let found = try await marker() else { throw .refused }
            return found
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
        guard let bytes = try await small(ContainerLayout.record(number)) else { return nil }
        return try ContainerCoding.decodeRecord(bytes)
    }

    /// Appends a record as `number`, after everything that it tells of is durable, and makes it
    /// durable itself: what it acknowledges is forgotten then.
    ///
    /// - Parameter collected: where bodies lie that need not be kept any longer.
    /// - Returns: the record, or `nil` when another device has taken that number.
    package func append(
        _ changes: [Change], collected: [ItemPath] = [], as number: UInt64, time: Int64
    ) async throws(DocFSError) -> LogRecord? {
        let record = LogRecord(
            device: device, deviceName: deviceName, time: time, changes: changes,
            collected: collected)
        try await store.makeDurable()
        do {
            try await put(
                ContainerLayout.record(number), ContainerCoding.encode(record), .absent)
        } catch .refused {
            guard try await isOurs(record, number) else { return nil }
        } catch .exists {
            guard try await isOurs(record, number) else { return nil }
        }
        try await store.makeDurable()
        return record
    }

    /// Whether a record that could not be appended is there all the same: a lost reply may hide it.
    private func isOurs(_ record: LogRecord, _ number: UInt64) async throws(DocFSError) -> Bool {
        try await self.record(number) == record
    }

    // MARK: Small files

    private static let largestSmall = 1 << 28

    func small(_ path: ItemPath) async throws(DocFSError) -> [UInt8]? {
        try await store.small(path, atMost: Self.largestSmall)
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
    /// - Throws: `.revisionGone` when it is at none of its places.
    package func fetch(_ body: StoredBody, range: Range<UInt64>, into sink: any ByteSink)
        async throws(DocFSError)
    {
        for place in body.places {
            do {
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
            }
        }
        throw .revisionGone
    }

    /// Whether what lies at `place` may have another revision than the body that it is: versions
    /// and trash are written once, under names that nobody else uses, and on a store that cannot
    /// move a body they are copies.
    func isCopy(_ place: ItemPath) -> Bool {
        !capabilities.moves && place.isAtOrBelow(ItemPath([ContainerLayout.reserved]))
    }
}
