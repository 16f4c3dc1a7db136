extension OpenContent {
    /// One fetch of a range from the source.
    struct Fetch {
        var range: Range<UInt64>
        let sink: HydrationSink
        /// `nil` until it is started.
        var task: Task<Void, Never>?
        /// It may be writing into the file by itself, over whatever is there.
        var isDirect = false
        /// Its outcome no longer counts, but it may still be writing.
        var isVoid = false
    }

    /// One read that waits for bytes.
    struct Waiter {
        var offset: UInt64
        var length: Int
        /// When it began to wait, by the clock.
        var since: UInt64
        var ended: Ended

        /// What it asked for, in bytes.
        var range: Range<UInt64> { offset..<offset + UInt64(length) }
    }

    /// Everything that changes while a content is open.
    ///
    /// Guarded by one lock, which is held for a few instructions only: never over system calls on
    /// the content file, nor over transactions.
    struct State: Sendable {
        private(set) var phase = ContentPhase.unloaded
        var scope: Int64?
        var place = ContentPlace.state
        var descriptor: Descriptor?
        /// Files that were replaced; whoever got their numbers may still be reading them.
        var retired: [Descriptor] = []
        /// The file's name is on stable storage.
        var isEntrySynced = false
        /// Counts the replacements of the file: what belongs to an earlier one does not count.
        var epoch = 0

        /// All bytes of a small document, verified, until its file has them.
        var memory: [UInt8]?

        /// Bytes.
        var size: UInt64 = 0
        /// Bytes of the source's beginning that are content.
        var wanted: UInt64 = 0
        var source: BodySource?
        /// Parts of `0..<wanted` that are in the file, fetched or written here.
        var here = RangeSet()
        /// Parts of `0..<wanted` that were written here.
        var written = RangeSet()
        /// The part of `written` that is being written now, and may yet fail to be.
        var reserved: Range<UInt64>?
        /// The bytes are not the source's any more.
        var isDiverged = false
        /// Parts of the source that somebody has read before all of it was here, or while the row
        /// did not tell of it.
        var served = RangeSet()
        /// The source is not the row's: what the container has instead, and no record tells of yet.
        var isAhead = false
        /// An edit was begun in another body than the one whose size the kernel was told of.
        var isUntold = false
        /// Somebody has read all of what the row does not tell of.
        var isSeen: Bool { isAhead && (size == 0 || served.contains(0..<size)) }
        /// How often the source has changed without one byte of progress.
        var successions = 0
        /// How far the search is for a source that no record tells of.
        var search = SourceSearch.none

        /// What is written from now on was made from this revision, and the row does not say so
        /// yet (S14a).
        var base: Revision?
        /// The row knows that it is being written.
        var isNoted = false
        /// The time of the last write that the row does not have.
        var unrecorded: Timestamp?
        /// The row is just being told of size and time.
        var isRecording = false
        /// What the row shows of a file that may be written unseen; `nil` when it is not.
        var unseen: FileMark?
        /// How many have to end before it is not written unseen any more.
        var watchers = 0
        var writesUnderWay = 0
        /// Counts the writes.
        var writesBegun = 0
        /// The row may say that not all bytes are on the disk.
        var isUnsynced = false
        var isSynced = true

        var waiters: [UInt64: Waiter] = [:]
        var fetches: [UInt64: Fetch] = [:]
        /// The download is wanted, and has not failed since.
        var isHydrating = false
        /// All that is missing is brought, not only what somebody waits for.
        private(set) var wantsAll = false
        /// Readers of events know that it is.
        private var isTold = false
        var nextTicket: UInt64 = 1
        /// When bytes arrived last, by the clock.
        var lastProgress: UInt64 = 0
        /// When a read last ended for want of progress, by the clock.
        var lastExpiry: UInt64?
        var isWatched = false
        /// A background thread is at work on it.
        var jobs = 0

        mutating func move(to next: ContentPhase) {
            precondition(phase.mayBecome(next), "content goes from \(phase) to \(next)")
            phase = next
        }

        /// All that is missing is to be brought from now on.
        ///
        /// - Returns: whether that is news.
        mutating func wantAll() -> Bool {
            defer { wantsAll = true }
            return !wantsAll
        }

        /// Nothing is to be brought any more.
        mutating func wantNothing() {
            isHydrating = false
            wantsAll = false
            isTold = false
        }

        /// Whether all of it is being fetched, and not here yet, and nobody was told; now they are.
        mutating func takeUntoldDownload() -> Bool {
            guard phase == .incomplete, isHydrating, wantsAll, !isTold else { return false }
            isTold = true
            return true
        }

        var missing: [Range<UInt64>] { here.gaps(in: 0..<wanted) }

        mutating func ticket() -> UInt64 {
            defer { nextTicket += 1 }
            return nextTicket
        }

        /// Where a file lies that no row tells of: some bytes were fetched, none was written.
        var uselessFile: ContentPlace? {
            (phase == .incomplete || isAhead) && !isDiverged && descriptor != nil ? place : nil
        }

        /// Whether a read would wait for what another one has just waited for in vain.
        ///
        /// The kernel asks several times for what it maps or reads ahead; all of it ends by one
        /// deadline (S7).
        func hasJustExpired(at now: UInt64, deadline: UInt64) -> Bool {
            guard let lastExpiry else { return false }
            return lastProgress < lastExpiry && now < lastExpiry + min(1_000_000_000, deadline / 20)
        }

        /// The row does not have size and time of what was written.
        var isLagging: Bool { isNoted || unrecorded != nil || isRecording }

        /// Nothing is going on that has to end before the content can be let go.
        var isIdle: Bool {
            fetches.isEmpty && waiters.isEmpty && jobs == 0 && writesUnderWay == 0 && !isLagging
        }
    }

    /// The bytes that a waiting read gets.
    package enum Answer: Sendable {
        /// They are in the descriptor, at the offset of the read.
        case range(descriptor: Int32, length: Int)
        case bytes([UInt8])

        /// How many bytes it is at most.
        package var count: Int {
            switch self {
            case .range(_, let length): length
            case .bytes(let bytes): bytes.count
            }
        }
    }

    /// Is told, once, how a waiting read ends.
    package typealias Ended = @Sendable (Result<Answer, DocFSError>) -> Void
}
