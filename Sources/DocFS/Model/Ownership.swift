/// Whom a file belongs to on this device, and its mode here, which the container may not know yet.
package struct Ownership: Hashable, Sendable {
    package var user: UInt32
    package var group: UInt32
    /// Permission, set-id and sticky bits (0o7777).
    package var mode: UInt32

    package init(user: UInt32, group: UInt32, mode: UInt32) {
        self.user = user
        self.group = group
        self.mode = mode & 0o7777
    }

    /// What both let through; `nil` when they are different users' or groups'.
    package func merged(with other: Ownership) -> Ownership? {
        guard user == other.user, group == other.group else { return nil }
        return Ownership(user: user, group: group, mode: mode & other.mode)
    }
}
