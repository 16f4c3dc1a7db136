/// The two trees that are kept as item states; the third, local, is made of ``LocalItem`` rows.
package enum Tree: Sendable {
    /// What this device and the store last agreed on.
    case base
    /// What the store last said.
    case remote
}
