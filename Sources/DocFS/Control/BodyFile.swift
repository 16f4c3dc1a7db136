internal import Synchronization

/// One open earlier version or deleted document: bytes that come from the store as they are asked
/// for, and are held here in windows as long as somebody reads around them.
///
/// Any thread. Reads that wait end by the deadline, without one byte of progress for that long.
final class BodyFile: Sendable {
    private struct Window {
        /// Which attempt this is: a fetch that was given up must not touch the next one.
        let attempt: UInt64
        var bytes: [UInt8]
        /// The fetch that fills it; `nil` when it is whole.
        var fetch: Task<Void, Never>?
        /// Counts the pieces that arrived.
        var progress = 0
    }

    private struct Waiter {
        let read: PendingRead
        let range: Range<UInt64>
    }

    private struct State {
        var windows: [UInt64: Window] = [:]
        /// The indexes of whole windows, the last used at the end.
        var used: [UInt64] = []
        var waiters: [Waiter] = []
        var attempts: UInt64 = 0

        func isFetching(_ index: UInt64, _ attempt: UInt64) -> Bool {
            windows[index]?.attempt == attempt && windows[index]?.fetch != nil
        }
    }

    /// Bytes; at least as many as the kernel asks for at once, so that two windows serve a read.
    private static let windowSize: UInt64 = 1 << 20
    /// Whole windows that nobody waits for.
    private static let windowLimit = 4

    private let body: EarlierBody
    private let reader: any BodyReader
    private let deadline: Duration
    private let state = Mutex(State())

    init(body: EarlierBody, reader: any BodyReader, deadline: Duration) {
        self.body = body
        self.reader = reader
        self.deadline = deadline
    }

    func read(at offset: UInt64, length: Int) throws(DocFSError) -> ReadAnswer {
        guard offset < body.size, length > 0 else { return .bytes([]) }
        let range = offset..<min(body.size, offset + UInt64(length))
        return state.withLock { state in
            if let bytes = take(range, from: &state) { return .bytes(bytes) }
            let read = PendingRead()
            read.whenCancelled { [weak self, weak read] in
                if let self, let read { self.remove(read) }
            }
            state.waiters.append(Waiter(read: read, range: range))
            for index in Self.windows(of: range) where state.windows[index] == nil {
                state.attempts += 1
                state.windows[index] = fetch(index, attempt: state.attempts)
            }
            return .waiting(read)
        }
    }

    /// Nobody reads any more.
    func close() {
        let fetches = state.withLock { $0.windows.values.compactMap(\.fetch) }
        for fetch in fetches { fetch.cancel() }
    }

    private static func windows(of range: Range<UInt64>) -> ClosedRange<UInt64> {
        range.lowerBound / windowSize...(range.upperBound - 1) / windowSize
    }

    private func range(of index: UInt64) -> Range<UInt64> {
        let start = index * Self.windowSize
        return start..<min(body.size, start + Self.windowSize)
    }

    /// The bytes of `range`, if all of them are here.
    private func take(_ range: Range<UInt64>, from state: inout State) -> [UInt8]? {
        let indexes = Self.windows(of: range)
        guard indexes.allSatisfy({ state.windows[$0] != nil && state.windows[$0]?.fetch == nil })
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in indexes {
            let window = self.range(of: index)
            let part = range.clamped(to: window)
            let start = Int(part.lowerBound - window.lowerBound)
            bytes += state.windows[index]?.bytes[start..<start + part.count] ?? []
            state.used.removeAll { $0 == index }
            state.used.append(index)
        }
        return bytes
    }

    /// The reader gave up: what only it waited for is not fetched any further.
    private func remove(_ read: PendingRead) {
        let fetches = state.withLock { state in
            state.waiters.removeAll { $0.read === read }
            let wanted = Set(state.waiters.flatMap { Self.windows(of: $0.range) })
            let idle = state.windows.filter { !wanted.contains($0.key) && $0.value.fetch != nil }
            for index in idle.keys { state.windows[index] = nil }
            return idle.values.compactMap(\.fetch)
        }
        for fetch in fetches { fetch.cancel() }
    }

    // MARK: Fetching

    private func fetch(_ index: UInt64, attempt: UInt64) -> Window {
        let range = range(of: index)
        let fetch = Task { [self] in
            let watch = Task { await self.watch(index, attempt) }
            do throws(DocFSError) {
                try await reader.read(body, range: range) { [self] piece, offset in
                    put(piece, at: offset, into: index, attempt)
                }
                end(index, attempt, with: nil)
            } catch {
                end(index, attempt, with: error)
            }
            watch.cancel()
        }
        return Window(
            attempt: attempt, bytes: [UInt8](repeating: 0, count: range.count), fetch: fetch)
    }

    private func put(
        _ piece: UnsafeRawBufferPointer, at offset: UInt64, into index: UInt64, _ attempt: UInt64
    ) {
        let range = range(of: index)
        let part = (offset..<offset + UInt64(piece.count)).clamped(to: range)
        state.withLock { state in
            guard state.isFetching(index, attempt), !part.isEmpty else { return }
            let start = Int(part.lowerBound - range.lowerBound)
            let skipped = Int(part.lowerBound - offset)
            state.windows[index]?.progress += 1
            state.windows[index]?.bytes.replaceSubrange(
                start..<start + part.count, with: piece[skipped..<skipped + part.count])
        }
    }

    /// A window is whole, or cannot be had: whoever waited for it is answered.
    private func end(_ index: UInt64, _ attempt: UInt64, with error: DocFSError?) {
        state.withLock { state in
            guard state.isFetching(index, attempt) else { return }
            if let error {
                state.windows[index] = nil
                let failed = state.waiters.filter { Self.windows(of: $0.range).contains(index) }
                state.waiters.removeAll { Self.windows(of: $0.range).contains(index) }
                for waiter in failed { waiter.read.end(.failed(error)) }
            } else {
                state.windows[index]?.fetch = nil
                state.used.append(index)
                answerWaiters(&state)
            }
        }
    }

    private func answerWaiters(_ state: inout State) {
        var left: [Waiter] = []
        for waiter in state.waiters {
            if let bytes = take(waiter.range, from: &state) {
                waiter.read.end(.bytes(bytes))
            } else {
                left.append(waiter)
            }
        }
        state.waiters = left
        let wanted = Set(left.flatMap { Self.windows(of: $0.range) })
        while state.used.count > Self.windowLimit,
            let oldest = state.used.firstIndex(where: { !wanted.contains($0) })
        {
            state.windows[state.used.remove(at: oldest)] = nil
        }
    }

    /// Ends the fetch of a window when no byte has come for the deadline.
    private func watch(_ index: UInt64, _ attempt: UInt64) async {
        let looks = 8
        var (seen, idle) = (0, 0)
        while idle < looks {
            // Cancelled, as the fetch has ended.
            do { try await Task.sleep(for: deadline / looks) } catch { return }
            let progress = state.withLock { $0.windows[index]?.progress ?? 0 }
            idle = progress == seen ? idle + 1 : 0
            seen = progress
        }
        let fetch = state.withLock { state in
            state.isFetching(index, attempt) ? state.windows[index]?.fetch : nil
        }
        end(index, attempt, with: .deadline)
        fetch?.cancel()
    }
}
