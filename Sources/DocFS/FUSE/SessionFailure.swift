/// The kernel's front could not be set up; the reason in words.
package struct SessionFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
