internal import CFuse
internal import Glibc
internal import Synchronization

/// One inotify(7) instance, once the kernel has one left, and an eventfd(2) that ends its wait.
///
/// All of it belongs to one thread but ``interrupt()``, which may be called from any.
package final class Inotify: Sendable {
    /// One event as the kernel reports it.
    package struct Event: Sendable {
        /// The watch's number; -1 when ``Inotify/overflow`` is set.
        package let watch: Int32
        package let mask: UInt32
        /// The name inside the watched directory; `nil` for the directory itself.
        package let name: Name?
    }

    package static let attributes = UInt32(IN_ATTRIB)
    package static let written = UInt32(IN_MODIFY)
    package static let closedAfterWriting = UInt32(IN_CLOSE_WRITE)
    package static let movedFrom = UInt32(IN_MOVED_FROM)
    package static let movedTo = UInt32(IN_MOVED_TO)
    package static let created = UInt32(IN_CREATE)
    package static let removed = UInt32(IN_DELETE)
    package static let selfRemoved = UInt32(IN_DELETE_SELF)
    package static let selfMoved = UInt32(IN_MOVE_SELF)
    package static let unmounted = UInt32(IN_UNMOUNT)
    package static let overflow = UInt32(IN_Q_OVERFLOW)
    package static let watchEnded = UInt32(IN_IGNORED)
    package static let isDirectory = UInt32(IN_ISDIR)

    private let instance = Mutex<Descriptor?>(nil)
    private let wake: Descriptor

    package init() throws(DocFSError) {
        wake = Descriptor(try Posix.check { docfs_eventfd(0) })
    }

    /// The instance's descriptor; -1, which nothing can be done with, before ``open()``.
    private var number: Int32 { instance.withLock { $0?.number } ?? -1 }

    /// Asks the kernel for an instance, unless there is one.
    ///
    /// - Returns: false when the user has fs.inotify.max_user_instances of them.
    package func open() throws(DocFSError) -> Bool {
        if number >= 0 { return true }
        do throws(DocFSError) {
            let new = try Posix.check { inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }
            instance.withLock { $0 = Descriptor(new) }
            return true
        } catch .system(errno: EMFILE) {
            return false
        }
    }

    /// Watches an open directory, by way of /proc, so that no path is walked again.
    ///
    /// `.diskFull` when fs.inotify.max_user_watches is reached.
    package func watch(_ directory: Int32, _ mask: UInt32) throws(DocFSError) -> Int32 {
        try Posix.check { inotify_add_watch(number, "/proc/self/fd/\(directory)", mask) }
    }

    package func unwatch(_ watch: Int32) {
        _ = inotify_rm_watch(number, watch)
    }

    /// Ends the wait that is under way, and every later one.
    package func interrupt() {
        var one: UInt64 = 1
        _ = Glibc.write(wake.number, &one, 8)
    }

    /// Whether ``interrupt()`` was called; waits for an event until then or for so long.
    package func wait(milliseconds: Int32) -> Bool {
        var set = [
            pollfd(fd: number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&set, 2, milliseconds)
        return set[1].revents != 0
    }

    /// Lets events gather for so long, unless ``interrupt()`` was called: the same one again and
    /// again takes no room.
    package func gather(milliseconds: Int32) {
        var end = pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)
        _ = poll(&end, 1, milliseconds)
    }

    /// The events that are there now, without waiting; empty when there are none.
    package func events() throws(DocFSError) -> [Event] {
        if number < 0 { return [] }
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count: Int
        do {
            count = try Posix.check { Glibc.read(number, &buffer, buffer.count) }
        } catch .wouldBlock {
            return []
        }
        return buffer.withUnsafeBytes {
            Inotify.parse(UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }

    /// struct inotify_event: wd, mask, cookie, len (four bytes each), then `len` bytes of name
    /// padded with NUL.
    private static func parse(_ bytes: UnsafeRawBufferPointer) -> [Event] {
        var events: [Event] = []
        var offset = 0
        while offset + 16 <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
            let name = bytes[(offset + 16)..<min(offset + 16 + length, bytes.count)]
                .prefix { $0 != 0 }
            events.append(
                Event(
                    watch: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self),
                    mask: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
                    name: name.isEmpty ? nil : Name(name)))
            offset += 16 + length
        }
        return events
    }
}
