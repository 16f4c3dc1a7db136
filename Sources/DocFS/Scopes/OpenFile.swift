internal import Synchronization

/// One open(2): what may be done through it, and the file that it reaches.
///
/// The file may change its home while it is open (S24): ``number`` and ``descriptor`` are asked at
/// every use, never kept.
package final class OpenFile: Sendable {
    package let isReadable: Bool
    package let isWritable: Bool
    /// Whether close(2) is to wait for us: to send what was written through mappings, which only
    /// handles for reading and writing have, or to tell of writes that failed.
    package let wantsFlush: Bool
    /// Whether the kernel may read and write by itself what was opened.
    package enum Backing: Sendable {
        /// It is to send every request here.
        case never
        /// Where it does so already for another handle on the same file.
        case following
        /// In the file behind this descriptor.
        case offered(Descriptor)
    }

    package let backing: Backing
    /// Whether reads and writes come here even where mappings do not.
    package let showsWrites: Bool
    /// Who opened it.
    package let caller: Caller
    /// What is fetched of what is read here and is not on this computer (S10).
    package let fetching: KnownReaders.Fetching
    /// What is to be told of all that is read: every read comes here then (S14a).
    package let reading: Reading?

    private struct State {
        var number: FileNumber
        var descriptor: Descriptor?
        var content: OpenContent?
        /// Whether the kernel reads and writes by itself; until that is decided it may.
        var isPassed: Bool
        /// The home before the last move: a reply may still be reading from its descriptor.
        var former: (any Sendable)?
    }

    private let state: Mutex<State>

    package init(
        number: FileNumber, descriptor: Descriptor?, content: OpenContent? = nil,
        isReadable: Bool, isWritable: Bool, wantsFlush: Bool, backing: Backing = .never,
        showsWrites: Bool = true, caller: Caller, fetching: KnownReaders.Fetching = .everything,
        reading: Reading? = nil
    ) {
        var isPassed = true
        if case .never = backing { isPassed = false }
        state = Mutex(
            State(number: number, descriptor: descriptor, content: content, isPassed: isPassed))
        self.backing = backing
        self.showsWrites = showsWrites
        self.isReadable = isReadable
        self.isWritable = isWritable
        self.wantsFlush = wantsFlush
        self.caller = caller
        self.fetching = fetching
        self.reading = reading
    }

    /// The file that this handle reaches now.
    package var number: FileNumber { state.withLock { $0.number } }

    /// The file on disk: always there for a file of `Local/`.
    package var descriptor: Descriptor? { state.withLock { $0.descriptor } }

    /// The content behind a document of a cloud scope.
    package var content: OpenContent? { state.withLock { $0.content } }

    /// Whether the kernel reads and writes by itself, or may be about to.
    package var isPassed: Bool { state.withLock { $0.isPassed } }

    /// Every request of this handle comes here.
    package func wasServed() { state.withLock { $0.isPassed = false } }

    /// The file went on under another number with another home.
    package func move(to number: FileNumber, descriptor: Descriptor?, content: OpenContent?) {
        state.withLock {
            $0.former = $0.content ?? $0.descriptor
            $0.number = number
            $0.descriptor = descriptor
            $0.content = content
        }
    }
}
