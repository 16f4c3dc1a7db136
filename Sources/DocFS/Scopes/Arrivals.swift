internal import Synchronization

/// What wakes the thread that brings documents to `Local/`, and the directories that they go to.
final class Arrivals: Sendable {
    private struct Key: Hashable {
        var device: UInt64
        var inode: UInt64
    }

    private let directories = Mutex<[Key: Descriptor]>([:])
    private let wakeup = Wakeup()

    /// There is something to bring.
    func wake() { wakeup.signal() }

    /// Sleeps until there may be something to bring.
    func wait() { wakeup.wait() }

    /// Keeps a directory at hand, wherever it is renamed to meanwhile.
    func keep(_ directory: Descriptor, for place: FileStatus) {
        let key = Key(device: place.device, inode: place.inode)
        directories.withLock { $0[key] = directory }
    }

    func directory(of entry: IncomingEntry) -> Descriptor? {
        let key = Key(device: entry.device, inode: entry.inode)
        return directories.withLock { $0[key] }
    }

    /// Nothing is on its way any more.
    func forgetDirectories() { directories.withLock { $0.removeAll() } }
}
