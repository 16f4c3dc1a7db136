internal import Synchronization

/// Bytes on their way between this device and the stores: how far uploads are, and how fast bytes
/// go in either direction.
///
/// Safe to use from any thread.
final class Traffic: Sendable {
    /// One upload: it is under way as long as this object lives.
    final class Upload: Sendable {
        private let traffic: Traffic
        private let ticket: UInt64

        fileprivate init(_ traffic: Traffic, _ ticket: UInt64) {
            self.traffic = traffic
            self.ticket = ticket
        }

        deinit { traffic.ended(ticket) }

        /// The store has taken the bytes up to `offset`; the same ones again say nothing new.
        func advanced(to offset: UInt64) { traffic.advanced(ticket, to: offset) }
    }

    private struct Sent {
        let ino: Int64
        let scope: Int64
        let size: UInt64
        var done: UInt64 = 0
    }

    private struct State {
        var tickets: UInt64 = 0
        var uploads: [UInt64: Sent] = [:]
        /// By scope.
        var sending: [Int64: RateMeter] = [:]
        var receiving: [Int64: RateMeter] = [:]
    }

    private let clock: any SyncClock
    private let state = Mutex(State())

    init(clock: any SyncClock) { self.clock = clock }

    func upload(of ino: Int64, scope: Int64, size: UInt64) -> Upload {
        let ticket = state.withLock { state in
            state.tickets += 1
            state.uploads[state.tickets] = Sent(ino: ino, scope: scope, size: size)
            return state.tickets
        }
        return Upload(self, ticket)
    }

    private func advanced(_ ticket: UInt64, to offset: UInt64) {
        let now = clock.now()
        state.withLock { state in
            guard let upload = state.uploads[ticket], offset > upload.done else { return }
            state.uploads[ticket]?.done = offset
            state.sending[upload.scope, default: RateMeter()].add(offset - upload.done, at: now)
        }
    }

    private func ended(_ ticket: UInt64) { state.withLock { $0.uploads[ticket] = nil } }

    /// Bytes of a document of `scope` have come.
    func received(_ bytes: UInt64, scope: Int64) {
        let now = clock.now()
        state.withLock { $0.receiving[scope, default: RateMeter()].add(bytes, at: now) }
    }

    // MARK: Looking

    /// How much of the upload of a row is done, in percent, 99 at most; `nil` without one.
    func percent(of ino: Int64) -> Int? {
        state.withLock { state in
            state.uploads.values.first { $0.ino == ino }.map {
                $0.size == 0 ? 0 : Int(min(99, Double($0.done) / Double($0.size) * 100))
            }
        }
    }

    func sending(scope: Int64) -> TransferProgress {
        let now = clock.now()
        return state.withLock { state in
            var progress = TransferProgress()
            for upload in state.uploads.values where upload.scope == scope {
                progress.done += min(upload.done, upload.size)
                progress.total += upload.size
            }
            progress.rate = state.sending[scope]?.rate(at: now) ?? 0
            return progress
        }
    }

    /// Bytes per second.
    func receivingRate(scope: Int64) -> UInt64 {
        let now = clock.now()
        return state.withLock { $0.receiving[scope]?.rate(at: now) ?? 0 }
    }
}
