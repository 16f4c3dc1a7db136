/// What is wrong with a container's change log, so that somebody has to say what is to count (S23).
package enum LogTrouble: String, Hashable, Sendable {
    /// It was put back to an earlier state, has a gap, or was continued by two devices apart.
    case wentBack = "went-back"
    /// A record that this device is to read next is no record.
    case damaged
}
