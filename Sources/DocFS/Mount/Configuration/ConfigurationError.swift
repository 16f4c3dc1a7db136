/// What somebody asked for cannot be meant: usage, exit status 2.
///
/// One sentence for people.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
