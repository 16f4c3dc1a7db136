import Glibc
import Synchronization

@testable import DocFS

/// A container in memory that fails as it is told to.
final class FakeBodies: ContentSource {
    struct Behaviour: Sendable {
        var bodies: [Revision: [UInt8]] = [:]
        var offline: DocFSError?
        /// What another program has put in the place of what is gone.
        var successor: Revision?
        /// Told after each answer about a successor: it may be gone as well.
        var afterSuccessor: (@Sendable (inout Behaviour) -> Void)?
        /// Bodies that are found only by who looks for them where no record tells of them.
        var unrecorded: [Revision: [UInt8]] = [:]
        /// Looking for them does not end as long as this is set.
        var isSearchHeld = false
        /// What looking for them throws.
        var searchError: DocFSError?
        var searches = 0
        /// Thrown by every fetch, after it brought `bytesBeforeError` bytes.
        var error: DocFSError?
        var bytesBeforeError: UInt64 = 0
        /// Brings this many bytes less than it was asked for, and says nothing.
        var missing: UInt64 = 0
        /// Every byte is another one.
        var isWrong = false
        /// Copies straight into the file, as a store on this machine does.
        var isDirect = false
        /// Between the first and the second half of a range.
        var pause: UInt64 = 0
        /// Nothing comes as long as this is set; a cancelled fetch ends.
        var isHeld = false
        /// Nothing more comes after the first half of a range, as long as this is set.
        var isHeldHalfway = false
        /// A held fetch does not even end when it is cancelled.
        var isDeaf = false
    }

    let behaviour: Mutex<Behaviour>
    private let log = Mutex<[Range<UInt64>]>([])

    init(_ behaviour: Behaviour = Behaviour()) { self.behaviour = Mutex(behaviour) }

    /// The ranges that were asked for, in order.
    var asked: [Range<UInt64>] { log.withLock { $0 } }

    var offlineReason: DocFSError? { behaviour.withLock { $0.offline } }

    func successor(of item: ItemID, at revision: Revision) async -> Successor {
        behaviour.withLock { behaviour in
            guard let next = behaviour.successor, let bytes = behaviour.bodies[next] else {
                return .unknown
            }
            behaviour.afterSuccessor?(&behaviour)
            return .replaced(Body(size: UInt64(bytes.count), digest: nil, revision: next))
        }
    }

    func find(_ item: ItemID, at revision: Revision, _ digest: DocFS.Digest?)
        async throws(DocFSError) -> Bool?
    {
        behaviour.withLock { $0.searches += 1 }
        while behaviour.withLock({ $0.isSearchHeld }) { await nap() }
        let (error, body) = behaviour.withLock { behaviour in
            let error = behaviour.searchError
            if error == nil { behaviour.bodies.merge(behaviour.unrecorded) { $1 } }
            return (error, behaviour.unrecorded[revision])
        }
        if let error { throw error }
        return body != nil
    }

    func change(_ body: (inout Behaviour) -> Void) { behaviour.withLock { body(&$0) } }

    func fetch(
        _ item: ItemID, revision: Revision, range: Range<UInt64>, into sink: any ByteSink
    ) async throws(DocFSError) {
        log.withLock { $0.append(range) }
        while behaviour.withLock({ $0.isHeld }) {
            if Task.isCancelled && !behaviour.withLock({ $0.isDeaf }) { throw .interrupted }
            await nap()
        }
        let now = behaviour.withLock { $0 }
        guard var body = now.bodies[revision] else { throw .revisionGone }
        if now.isWrong { for index in body.indices { body[index] ^= 0x55 } }
        if let error = now.error {
            let end = range.lowerBound + min(now.bytesBeforeError, UInt64(range.count))
            let part = range.lowerBound..<end
            try await bring(part, of: body, into: sink, now)
            throw error
        }
        let part = range.lowerBound..<range.upperBound - now.missing
        try await bring(part, of: body, into: sink, now)
    }

    /// A moment's sleep, cancelled or not.
    private func nap() async {
        await Task { try? await Task.sleep(nanoseconds: 2_000_000) }.value
    }

    private func bring(
        _ range: Range<UInt64>, of body: [UInt8], into sink: any ByteSink, _ now: Behaviour
    ) async throws(DocFSError) {
        let middle = range.lowerBound + UInt64(range.count) / 2
        for part in [range.lowerBound..<middle, middle..<range.upperBound] where !part.isEmpty {
            let bytes = Array(body[Int(part.lowerBound)..<Int(part.upperBound)])
            if now.isDirect, let descriptor = sink.descriptor {
                // Between being told where and writing there, anything may happen.
                if now.pause > 0 { try? await Task.sleep(nanoseconds: now.pause) }
                try write(bytes, to: descriptor, at: part.lowerBound)
                try sink.advanced(through: part)
            } else {
                try write(bytes, into: sink, at: part.lowerBound)
            }
            // As slowly as it was told.
            if now.pause > 0 { try? await Task.sleep(nanoseconds: now.pause) }
            while part.upperBound == middle, behaviour.withLock({ $0.isHeldHalfway }) {
                await nap()
            }
        }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32, at offset: UInt64)
        throws(DocFSError)
    {
        let count = pwrite(descriptor, bytes, bytes.count, off_t(offset))
        if count != bytes.count { throw .diskFull }
    }

    private func write(_ bytes: [UInt8], into sink: any ByteSink, at offset: UInt64)
        throws(DocFSError)
    {
        let result: Result<Void, DocFSError> = bytes.withUnsafeBytes { raw in
            do throws(DocFSError) {
                return .success(try sink.write(raw, at: offset))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
