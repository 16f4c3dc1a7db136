/// One record of the change log: what one device did, in its order.
package struct LogRecord: Hashable, Sendable {
    package var device: DeviceID
    /// The device's name, for people.
    package var deviceName: String
    /// Seconds since 1970 by the device's clock, for people; no decision rests on it.
    package var time: Int64
    /// The digest of the record before this one, which its author had read; `nil` in the first.
    package var previous: Digest?
    /// The digest of this record's own bytes; `nil` while it is not in a log.
    package var digest: Digest?
    package var changes: [Change]
    /// Where bodies lie that the container need not keep any longer: nobody counts on them from
    /// here on, and they are removed a while after.
    package var collected: [ItemPath]
    /// For every change that was left out since it breaks a rule of ``ContainerRules``: which, in
    /// words.
    ///
    /// Nothing of the container is in them.
    package var breaches: [String] = []

    package init(
        device: DeviceID, deviceName: String, time: Int64, previous: Digest? = nil,
        changes: [Change], collected: [ItemPath] = []
    ) {
        self.device = device
        self.deviceName = deviceName
        self.time = time
        self.previous = previous
        self.changes = changes
        self.collected = collected
    }
}
