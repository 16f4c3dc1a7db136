internal import Synchronization

/// Whether documents are being brought to `Local/`, and the directories that they go to.
final class Arrivals: Sendable {
    private struct Key: Hashable {
        var device: UInt64
        var inode: UInt64

        init(_ place: DiskPlace) {
            device = place.device
            inode = place.inode
        }
    }

    private let directories = Mutex<[Key: Descriptor]>([:])
    private let isAtWork = Atomic(false)
    private let landing = Mutex(())
    /// Moves when something begins to land, and when it has.
    private let landings = Atomic<UInt64>(0)
    /// Documents that were asked for.
    let tries = Mutex(Retries(first: 2_000_000_000, last: 300_000_000_000))

    /// There is something to bring.
    ///
    /// - Returns: whether nobody is at it yet.
    func begin() -> Bool { !isAtWork.exchange(true, ordering: .acquiringAndReleasing) }

    /// Nothing is on its way any more.
    ///
    /// Whoever looks afterwards sees what was announced by everyone that ``begin()`` turned away.
    func end() {
        directories.withLock { $0.removeAll() }
        _ = isAtWork.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Keeps a directory at hand, wherever it is renamed to meanwhile.
    func keep(_ directory: Descriptor, at place: DiskPlace) {
        directories.withLock { $0[Key(place)] = directory }
    }

    func directory(of place: DiskPlace) -> Descriptor? {
        directories.withLock { $0[Key(place)] }
    }

    /// Has a document get its name on disk: the last steps of its arrival, one document after the
    /// other.
    func land(_ body: () throws(DocFSError) -> Void) throws(DocFSError) {
        try whileNoneLands { () throws(DocFSError) in
            landings.add(1, ordering: .acquiringAndReleasing)
            defer { landings.add(1, ordering: .acquiringAndReleasing) }
            try body()
        }
    }

    /// What ``hasLanded(since:)`` counts from.
    var moment: UInt64 { landings.load(ordering: .acquiring) }

    /// Whether something may have had more links or another time than it is to keep, for a moment
    /// since.
    func hasLanded(since moment: UInt64) -> Bool {
        !moment.isMultiple(of: 2) || landings.load(ordering: .acquiring) != moment
    }

    /// Runs `body` while no document gets its name on disk, and no such name changes hands.
    ///
    /// Held for a few system calls and transactions, with their fsync(2), and never for a copy. It
    /// is taken before a content's changes and the catalog's writer.
    func whileNoneLands<Value>(_ body: () throws(DocFSError) -> Value) throws(DocFSError) -> Value {
        let result: Result<Value, DocFSError> = landing.withLock { _ in
            do throws(DocFSError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
