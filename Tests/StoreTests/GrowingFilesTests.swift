import TestSupport
import Testing

@testable import DocFS

/// How often a file is reported that a program goes on writing.
@Suite struct GrowingFilesTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("Once it stood still for a second, a file is reported once")
    func quiet() {
        var files = GrowingFiles()
        let isFollowed = files.grew("a", at: 0)
        let (early, due) = (files.due(at: Self.second - 1), files.due(at: Self.second))
        #expect(isFollowed)
        #expect(early == [])
        #expect(due == ["a"])
        #expect(files.isEmpty)
    }

    @Test("One that never stands still is reported after three seconds, then ever more rarely")
    func restless() {
        var files = GrowingFiles()
        var moments: [UInt64] = []
        let step = Self.second / 10
        for moment in stride(from: 0, to: 600 * Self.second, by: Int(step)) {
            _ = files.grew("a", at: moment)
            if !files.due(at: moment).isEmpty { moments.append(moment / Self.second) }
        }
        #expect(moments.prefix(3) == [3, 6, 9])
        let pauses = zip(moments, moments.dropFirst()).map { $1 - $0 }
        #expect(pauses == pauses.sorted())
        #expect(pauses.last == 30)
    }

    @Test("One that was closed or moved is not reported for its writes")
    func closed() {
        var files = GrowingFiles()
        _ = files.grew("a", at: 0)
        files.ended("a")
        #expect(files.isEmpty)
        let due = files.due(at: 10 * Self.second)
        #expect(due == [])
    }

    @Test("So many files are followed, and of more each write is reported at once")
    func many() {
        var files = GrowingFiles()
        var followed = 0
        for index in 0..<5000 where files.grew(ItemPath("f\(index)"), at: 0) { followed += 1 }
        let due = files.due(at: Self.second)
        #expect(followed == 4096)
        #expect(due.count == 4096)
    }
}
