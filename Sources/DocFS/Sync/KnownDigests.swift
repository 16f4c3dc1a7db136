/// Digests of rows' bytes, each good until the bytes are changed.
struct KnownDigests: Sendable {
    private var known: [Int64: (generation: Int64, digest: Digest)] = [:]

    mutating func add(_ snapshot: Snapshot, of ino: Int64) {
        known[ino] = (snapshot.generation, snapshot.digest)
    }

    func digest(of row: LocalItem) -> Digest? {
        guard let found = known[row.ino], found.generation == row.generation else { return nil }
        return found.digest
    }
}
