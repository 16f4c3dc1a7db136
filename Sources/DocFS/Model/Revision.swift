/// A store's token for one stored body, used as a precondition.
///
/// Opaque: only equality has meaning.
package struct Revision: Hashable, Sendable, CustomStringConvertible {
    package let token: String

    package init(_ token: String) { self.token = token }

    package var description: String { token }
}
