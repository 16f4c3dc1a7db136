internal import Glibc

/// An open file descriptor that is closed when the last reference goes.
package final class Descriptor: Sendable {
    /// The number, valid as long as this object lives.
    package let number: Int32

    /// Takes ownership of `number`.
    package init(_ number: Int32) { self.number = number }

    deinit { Glibc.close(number) }
}
