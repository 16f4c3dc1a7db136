/// How long a container keeps deleted documents and earlier versions (S19), and how that is known.
///
/// All times are the store's own: no device's clock decides, and none has to be right. Neither does
/// the store's have to be for ever: it takes ten collections, each of which has to have seen an
/// object, to remove it, and they are a tenth of the retention apart.
package struct Retention: Hashable, Sendable {
    /// How long a body is kept at least after it was replaced or deleted, in nanoseconds.
    package var time: UInt64
    /// So many earlier versions of a document are kept however old they are.
    package var versions: Int

    /// - Parameter time: nanoseconds.
    package init(time: UInt64, versions: Int) {
        self.time = time
        self.versions = versions
    }

    /// So many collections must have seen what is removed.
    package static let sightings = 10

    /// Nanoseconds between two collections.
    package var interval: UInt64 { time / UInt64(Self.sightings) }

    /// For how long a collector that is silent still is one, and what was announced to go stays,
    /// in nanoseconds.
    package var lease: UInt64 { min(60_000_000_000, interval / 3) }

    /// Nanoseconds until another collection is due.
    ///
    /// - Parameter last: when one began last.
    package func pause(at now: Timestamp, after last: Timestamp?) -> UInt64 {
        guard let last else { return 0 }
        let passed = now.nanoseconds(since: last)
        // A last one in the future was told by a clock that was wrong.
        return passed < 0 ? 0 : interval - min(interval, UInt64(passed))
    }

    /// The last collections, now that there is another.
    package func collections(_ former: [Timestamp], and now: Timestamp) -> [Timestamp] {
        Array((former.filter { $0 < now } + [now]).suffix(Self.sightings))
    }

    /// What was stored until then may go; `nil` while nothing may.
    ///
    /// - Parameter collections: this one and those before, the oldest first.
    package func limit(at now: Timestamp, _ collections: [Timestamp]) -> Timestamp? {
        guard collections.count >= Self.sightings else { return nil }
        return min(now.earlier(by: time), collections[collections.count - Self.sightings])
    }

    /// How many of a document's earlier versions may go, the oldest first.
    ///
    /// - Parameter isThere: the document exists, or can be taken from the trash.
    package func surplus(of count: Int, isThere: Bool) -> Int {
        isThere ? max(0, count - versions) : count
    }
}

extension Timestamp {
    /// Nanoseconds from `other` to this, as far as they can be counted.
    fileprivate func nanoseconds(since other: Timestamp) -> Int64 {
        let (seconds, overflows) = seconds.subtractingReportingOverflow(other.seconds)
        guard !overflows, abs(seconds) < 9_000_000_000 else {
            return self < other ? .min : .max
        }
        return seconds * 1_000_000_000 + Int64(nanoseconds) - Int64(other.nanoseconds)
    }

    fileprivate func earlier(by time: UInt64) -> Timestamp {
        var seconds = seconds - Int64(time / 1_000_000_000)
        var rest = Int64(nanoseconds) - Int64(time % 1_000_000_000)
        if rest < 0 {
            seconds -= 1
            rest += 1_000_000_000
        }
        return Timestamp(seconds: seconds, nanoseconds: UInt32(rest))
    }
}
