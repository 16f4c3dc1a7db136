/// A set of byte positions, kept as ranges.
///
/// Invariant: the ranges are in order, not empty, and neither overlap nor touch.
package struct RangeSet: Hashable, Sendable {
    package private(set) var ranges: [Range<UInt64>] = []

    package init() {}

    /// Takes ranges in any order, overlapping or not.
    package init(_ ranges: some Sequence<Range<UInt64>>) {
        for range in ranges { insert(range) }
    }

    package var isEmpty: Bool { ranges.isEmpty }

    /// Bytes in the set.
    package var count: UInt64 { ranges.reduce(0) { $0 + UInt64($1.count) } }

    /// Index of the first range that ends at or after `position`.
    private func index(endingFrom position: UInt64) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    package mutating func insert(_ range: Range<UInt64>) {
        if range.isEmpty { return }
        let first = index(endingFrom: range.lowerBound)
        var merged = range
        var past = first
        while past < ranges.count, ranges[past].lowerBound <= range.upperBound {
            merged =
                min(
                    merged.lowerBound, ranges[past].lowerBound)..<max(
                    merged.upperBound, ranges[past].upperBound)
            past += 1
        }
        ranges.replaceSubrange(first..<past, with: CollectionOfOne(merged))
    }

    package mutating func remove(_ range: Range<UInt64>) {
        if range.isEmpty { return }
        let first = index(endingFrom: range.lowerBound)
        var past = first
        var left: [Range<UInt64>] = []
        while past < ranges.count, ranges[past].lowerBound < range.upperBound {
            let old = ranges[past]
            let before = old.lowerBound..<max(old.lowerBound, min(old.upperBound, range.lowerBound))
            let after = min(old.upperBound, max(old.lowerBound, range.upperBound))..<old.upperBound
            if !before.isEmpty { left.append(before) }
            if !after.isEmpty { left.append(after) }
            past += 1
        }
        ranges.replaceSubrange(first..<past, with: left)
    }

    package func contains(_ range: Range<UInt64>) -> Bool {
        if range.isEmpty { return true }
        let index = index(endingFrom: range.upperBound)
        return index < ranges.count && ranges[index].lowerBound <= range.lowerBound
            && range.upperBound <= ranges[index].upperBound
    }

    package func overlaps(_ range: Range<UInt64>) -> Bool { !intersection(range).isEmpty }

    /// The parts of `range` that are in the set, in order.
    package func intersection(_ range: Range<UInt64>) -> [Range<UInt64>] {
        var parts: [Range<UInt64>] = []
        var index = index(endingFrom: range.lowerBound)
        while index < ranges.count, ranges[index].lowerBound < range.upperBound {
            let part = ranges[index].clamped(to: range)
            if !part.isEmpty { parts.append(part) }
            index += 1
        }
        return parts
    }

    /// The parts of `range` that are not in the set, in order.
    package func gaps(in range: Range<UInt64>) -> [Range<UInt64>] {
        var gaps: [Range<UInt64>] = []
        var next = range.lowerBound
        for part in intersection(range) {
            if next < part.lowerBound { gaps.append(next..<part.lowerBound) }
            next = part.upperBound
        }
        if next < range.upperBound { gaps.append(next..<range.upperBound) }
        return gaps
    }
}
