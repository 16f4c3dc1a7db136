/// What the configuration says about syncing one container.
package struct SyncSettings: Sendable {
    /// This device's name in conflict versions.
    package var deviceName: String
    /// Quiet time after the last close before an edit is sent, in nanoseconds.
    package var settle: UInt64
    /// How often the log is asked for, in nanoseconds.
    package var poll: UInt64
    /// Whom items from the store belong to: the mount's owner.
    package var owner: UInt32
    package var group: UInt32
    /// The least time between two snapshots of the change log, in nanoseconds, and how many records
    /// are worth one.
    package var collection: UInt64
    package var collectedRecords: UInt64
    /// How often everything is listed where that costs and no events tell of changes, in
    /// nanoseconds.
    package var rareLook: UInt64
    /// For how long, from when a record told of an object, a store of objects is asked again that
    /// answers with what was there before, in nanoseconds.
    package var staleness: UInt64
    /// How long a device waits before it puts back what another program took out of the store, in
    /// nanoseconds: up to half as long again, or only a quarter where it found that out itself.
    package var putBackPause: UInt64
    /// How long deleted documents and earlier versions are kept.
    package var retention: Retention
    /// Which newer bodies are brought before they are shown.
    package var fetchFirst: FetchFirst
    /// Whether a container is made where none is: not when the catalog was lost, which knew
    /// whether there was one (S23).
    package var makesContainers: Bool
    /// Which names stay on this device.
    package var scratch: Scratch
    /// The names of all scopes that are mounted, this one's among them: no two have one container.
    package var mounted: Set<String>

    package init(
        deviceName: String, settle: UInt64, poll: UInt64, owner: UInt32, group: UInt32,
        collection: UInt64 = 86_400_000_000_000, collectedRecords: UInt64 = 1_000,
        rareLook: UInt64 = 3_600_000_000_000, staleness: UInt64 = 30_000_000_000,
        putBackPause: UInt64 = 20_000_000_000,
        retention: Retention = Retention(time: 30 * 86_400_000_000_000, versions: 10),
        fetchFirst: FetchFirst = .never, makesContainers: Bool = true, scratch: Scratch = Scratch(),
        mounted: Set<String> = []
    ) {
        self.deviceName = deviceName
        self.settle = settle
        self.poll = poll
        self.owner = owner
        self.group = group
        self.collection = collection
        self.collectedRecords = collectedRecords
        self.rareLook = rareLook
        self.staleness = staleness
        self.putBackPause = putBackPause
        self.retention = retention
        self.fetchFirst = fetchFirst
        self.makesContainers = makesContainers
        self.scratch = scratch
        self.mounted = mounted
    }
}
