/// A top-level directory of the mount.
package struct ScopeRoot: Sendable {
    package let name: Name
    package let number: FileNumber
    /// `nil` for `Local/`.
    let cloud: CloudScope?
}
