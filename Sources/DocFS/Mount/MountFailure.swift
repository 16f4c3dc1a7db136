/// Why there is no mount: exit status 1.
///
/// One sentence for people.
package struct MountFailure: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
