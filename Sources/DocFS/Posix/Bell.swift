internal import CFuse
internal import Glibc

/// What one thread sleeps on until another rings: eventfd(2), so that a ring before the wait is
/// not lost and several rings are one.
package final class Bell: Sendable {
    private let counter: Descriptor

    package init() {
        let number = docfs_eventfd(0)
        precondition(number >= 0, "the system has no descriptor left")
        counter = Descriptor(number)
    }

    package func ring() {
        var one: UInt64 = 1
        _ = Glibc.write(counter.number, &one, 8)
    }

    /// Sleeps until there was a ring since the last wait, or `milliseconds` have passed (-1: for
    /// ever); tells whether there was one.
    @discardableResult
    package func wait(milliseconds: Int32 = -1) -> Bool {
        var value: UInt64 = 0
        while true {
            if Glibc.read(counter.number, &value, 8) == 8 { return true }
            var interest = pollfd(fd: counter.number, events: Int16(POLLIN), revents: 0)
            if poll(&interest, 1, milliseconds) == 0 { return false }
        }
    }
}
