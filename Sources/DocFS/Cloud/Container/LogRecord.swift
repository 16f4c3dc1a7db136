/// One record of the change log: what one device did, in its order.
package struct LogRecord: Hashable, Sendable {
    package var device: DeviceID
    /// The device's name, for people.
    package var deviceName: String
    /// Seconds since 1970 by the device's clock, for people; no decision rests on it.
    package var time: Int64
    package var changes: [Change]
    /// Where bodies lie that the container need not keep any longer: nobody counts on them from
    /// here on, and they are removed a while after.
    package var collected: [ItemPath]

    package init(
        device: DeviceID, deviceName: String, time: Int64, changes: [Change],
        collected: [ItemPath] = []
    ) {
        self.device = device
        self.deviceName = deviceName
        self.time = time
        self.changes = changes
        self.collected = collected
    }
}
