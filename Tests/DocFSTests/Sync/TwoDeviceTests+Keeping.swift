@testable import DocFS

/// Devices that keep what was removed until somebody asks for more.
extension TwoDeviceTests {
    /// A device at work, for which nothing is old enough to go unasked; what is announced goes a
    /// second later.
    func keepingDevice(_ name: String, _ store: any CloudStore) async throws -> TestDevice {
        let device = try TestDevice(
            name, store: store, retention: Retention(time: 30_000_000_000, versions: 10))
        await device.engine.start()
        return device
    }
}
