/// Who saved an item's bytes, and when, as the record says that brought them.
package struct Saver: Hashable, Sendable {
    /// The device's name.
    package var device: String
    /// Seconds since 1970, by that device's clock; for people only.
    package var time: Int64

    package init(device: String, time: Int64) {
        self.device = device
        self.time = time
    }
}
