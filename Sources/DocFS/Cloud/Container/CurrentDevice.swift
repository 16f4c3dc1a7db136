internal import Synchronization

/// Who this device is to its containers: one for all containers of a mount.
///
/// It may have to take another identity while it runs: when its state exists twice, both have been
/// writing under one (S34).
package final class CurrentDevice: Sendable {
    private let state: Mutex<DeviceID>
    private let whenRenewed: @Sendable (DeviceID) -> Void

    /// - Parameter whenRenewed: called once for each new identity, before anything is called by it,
    ///   by whoever noticed; it may block.
    package init(_ id: DeviceID, whenRenewed: @escaping @Sendable (DeviceID) -> Void = { _ in }) {
        state = Mutex(id)
        self.whenRenewed = whenRenewed
    }

    package var id: DeviceID { state.withLock { $0 } }

    /// Takes `new` in place of `old`, which another device has too, unless that was done already.
    package func renew(_ old: DeviceID, as new: DeviceID) {
        state.withLock { id in
            guard id == old else { return }
            whenRenewed(new)
            id = new
        }
    }
}
