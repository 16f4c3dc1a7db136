/// When a document whose bytes could not be had is asked for again: at growing distances, since a
/// store may lack it for good, and what comes whole each time may cost money.
struct Retries {
    /// Nanoseconds before the second try, and at most.
    let first: UInt64
    let last: UInt64
    private var entries: [Int64: (tries: Int, next: UInt64)] = [:]

    init(first: UInt64, last: UInt64) {
        self.first = first
        self.last = last
    }

    /// When the next document may be tried again; `nil` when none waits.
    var next: UInt64? { entries.values.map(\.next).min() }

    func isDue(_ ino: Int64, at now: UInt64) -> Bool { (entries[ino]?.next ?? 0) <= now }

    /// A try begins.
    mutating func tried(_ ino: Int64, at now: UInt64) {
        let tries = (entries[ino]?.tries ?? 0) + 1
        entries[ino] = (tries, now + Backoff.pause(after: tries, from: first, to: last))
    }

    /// It was not the document's fault.
    mutating func forget(_ ino: Int64) { entries[ino] = nil }

    /// All others have come, or are not wanted any more.
    mutating func keep(only wanted: Set<Int64>) {
        entries = entries.filter { wanted.contains($0.key) }
    }
}
