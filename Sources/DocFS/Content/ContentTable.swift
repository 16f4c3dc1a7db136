/// Which contents are open, by whom, and what may not be opened now.
struct ContentTable {
    struct Entry {
        let content: OpenContent
        var readers = 0
        var writers = 0

        var isOpen: Bool { readers + writers > 0 }
        /// Somebody may write, or what was written is not in the row yet.
        var isHeld: Bool { writers > 0 || content.state.withLock(\.isLagging) }
    }

    var entries: [Int64: Entry] = [:]
    /// Rows that syncing is about to change: not opened for writing meanwhile.
    var claimed: Set<Int64> = []
    /// Rows whose content file is about to go: not opened at all meanwhile.
    var closing: Set<Int64> = []
    /// Numbers that the kernel knows.
    var known: Set<Int64> = []
    /// Rows without a name that go once nobody needs them any more.
    var unlinked: Set<Int64> = []

    /// Takes the unlinked row `ino` out when nobody needs it any more.
    mutating func takeIfUnneeded(_ ino: Int64) -> Bool {
        guard unlinked.contains(ino), !known.contains(ino), entries[ino] == nil else {
            return false
        }
        unlinked.remove(ino)
        return true
    }
}
