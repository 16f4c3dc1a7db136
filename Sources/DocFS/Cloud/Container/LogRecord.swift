/// One record of the change log: what one device did, in its order.
package struct LogRecord: Hashable, Sendable {
    package var device: DeviceID
    /// The device's name, for people.
    package var deviceName: String
    /// Seconds since 1970 by the device's clock, for people; no decision rests on it.
    package var time: Int64
    package var changes: [Change]

    package init(device: DeviceID, deviceName: String, time: Int64, changes: [Change]) {
        self.device = device
        self.deviceName = deviceName
        self.time = time
        self.changes = changes
    }
}
