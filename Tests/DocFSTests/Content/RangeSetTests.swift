import TestSupport
import Testing

@testable import DocFS

@Suite struct RangeSetTests {
    /// The same set, one flag per position.
    private struct Model {
        var flags = [Bool](repeating: false, count: 64)

        mutating func set(_ range: Range<UInt64>, _ value: Bool) {
            for index in range { flags[Int(index)] = value }
        }

        var ranges: [Range<UInt64>] {
            var ranges: [Range<UInt64>] = []
            for index in flags.indices where flags[index] {
                if let last = ranges.last, last.upperBound == UInt64(index) {
                    ranges[ranges.count - 1] = last.lowerBound..<UInt64(index + 1)
                } else {
                    ranges.append(UInt64(index)..<UInt64(index + 1))
                }
            }
            return ranges
        }
    }

    @Test("Random insertions and removals leave what a set of positions has", arguments: 0..<40)
    func random(_ seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var set = RangeSet()
        var model = Model()
        for _ in 0..<400 {
            let bounds: [UInt64] = [
                .random(in: 0...64, using: &random), .random(in: 0...64, using: &random),
            ]
            let range = bounds.min()!..<bounds.max()!
            if Bool.random(using: &random) {
                set.insert(range)
                model.set(range, true)
            } else {
                set.remove(range)
                model.set(range, false)
            }
            #expect(set.ranges == model.ranges)
            #expect(set.count == UInt64(model.flags.filter { $0 }.count))
            let asked = min(bounds[0], 60)..<min(bounds[0], 60) + 4
            let flags = model.flags[Int(asked.lowerBound)..<Int(asked.upperBound)]
            #expect(set.contains(asked) == flags.allSatisfy { $0 })
            #expect(set.overlaps(asked) == flags.contains(true))
            var joined = RangeSet(set.intersection(asked))
            #expect(set.gaps(in: asked).allSatisfy { !set.overlaps($0) && !$0.isEmpty })
            for gap in set.gaps(in: asked) { joined.insert(gap) }
            #expect(joined.ranges == [asked])
        }
    }
}
