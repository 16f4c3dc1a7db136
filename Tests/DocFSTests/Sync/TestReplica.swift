import DocFS
import Synchronization

/// The contents of a device in memory: what the Content room is to the engine.
final class TestReplica: Replica {
    func isSuspect(_ row: LocalItem) -> Bool { false }

    private struct State {
        var bodies: [Int64: [UInt8]] = [:]
        var writers: Set<Int64> = []
        var claimed: Set<Int64> = []
        var claims = 0
    }

    private let state = Mutex(State())
    let hash: @Sendable ([UInt8]) -> Digest

    init(hash: @escaping @Sendable ([UInt8]) -> Digest) { self.hash = hash }

    /// Another one with the same bodies.
    func copy() -> TestReplica {
        let replica = TestReplica(hash: hash)
        for (ino, bytes) in state.withLock(\.bodies) { replica.setBody(bytes, of: ino) }
        return replica
    }

    func setBody(_ bytes: [UInt8], of ino: Int64) { state.withLock { $0.bodies[ino] = bytes } }
    func body(of ino: Int64) -> [UInt8]? { state.withLock { $0.bodies[ino] } }

    func setWriter(_ isOpen: Bool, of ino: Int64) {
        _ = state.withLock { state in
            if isOpen {
                state.writers.insert(ino).inserted
            } else {
                state.writers.remove(ino) != nil
            }
        }
    }

    func writer(of ino: Int64) -> WriterState {
        state.withLock { $0.writers.contains(ino) } ? .held(since: 0) : .none
    }

    /// The rows that nobody may begin to write just now.
    var claimed: Set<Int64> { state.withLock { $0.claimed } }
    /// How often one was claimed.
    var claims: Int { state.withLock { $0.claims } }

    func claim(_ ino: Int64) -> Bool {
        state.withLock { state in
            if state.writers.contains(ino) { return false }
            state.claimed.insert(ino)
            state.claims += 1
            return true
        }
    }

    func release(_ inos: [Int64]) { state.withLock { $0.claimed.subtract(inos) } }

    func snapshot(of row: LocalItem) throws(DocFSError) -> Snapshot {
        guard let bytes = body(of: row.ino) else { throw .wouldBlock }
        return Snapshot(
            source: bytes, size: UInt64(bytes.count), digest: hash(bytes),
            generation: row.generation, modified: row.modified)
    }

    func applied(_ notices: [LocalNotice]) {}
}
