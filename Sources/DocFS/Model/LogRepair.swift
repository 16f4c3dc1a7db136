/// How a change log is mended that is not the one that was read (S23).
package enum LogRepair: String, Hashable, Sendable {
    /// The log is read once more, and a snapshot stands for what of it is damaged.
    case check
    /// The container counts as it is; what this device has beyond it comes beside it.
    case container
    /// What this device has counts, and is sent once more.
    case device
}
