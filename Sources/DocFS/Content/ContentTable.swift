/// Which contents are open, by whom, and what may not be opened now.
struct ContentTable {
    struct Entry {
        let content: OpenContent
        var readers = 0
        var writers = 0
        /// Since when there has been a writer, by the clock.
        var openSince: UInt64 = 0

        var isOpen: Bool { readers + writers > 0 }
        /// Somebody may write, or what was written is not in the row yet.
        var isBeingWritten: Bool { writers > 0 || content.state.withLock(\.isLagging) }
    }

    var entries: [Int64: Entry] = [:]
    /// Rows that may be written without our seeing it: each counts as one writer of its entry.
    var held: Set<Int64> = []
    /// Whether those are about to be looked at.
    var looksAtHeld = false
    /// Rows whose file a program outside the mount writes into: each counts as one writer more.
    var outside: [Int64: OutsideWriter] = [:]
    /// Rows that may be such, once this process does not have their files open, and how long it is
    /// until the next look then, in nanoseconds.
    var unfollowed: [Int64: UInt64] = [:]
    /// Whether they are about to be looked at.
    var looksOutside = false
    /// Rows that syncing is about to change: not opened for writing meanwhile.
    var claimed: Set<Int64> = []
    /// Rows whose content file is about to go: not opened at all meanwhile.
    var closing: Set<Int64> = []
    /// Numbers that the kernel knows.
    var known: Set<Int64> = []
    /// Rows without a name that go once nobody needs them any more.
    var unlinked: Set<Int64> = []

    /// The content of a row that was held until now; its writer is still to be taken off.
    mutating func letGo(_ ino: Int64) -> OpenContent? {
        held.remove(ino) == nil ? nil : entries[ino]?.content
    }

    /// Takes the unlinked row `ino` out when nobody needs it any more.
    mutating func takeIfUnneeded(_ ino: Int64) -> Bool {
        guard unlinked.contains(ino), !known.contains(ino), entries[ino] == nil else {
            return false
        }
        unlinked.remove(ino)
        return true
    }

    /// Whether a row that was taken out some time ago may go: one that was looked up just before it
    /// lost its name, and answered just after, stays until the kernel forgets it.
    mutating func mayGo(_ ino: Int64) -> Bool {
        guard known.contains(ino) || entries[ino] != nil else { return true }
        unlinked.insert(ino)
        return false
    }
}
