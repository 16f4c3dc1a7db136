import Foundation
import TestSupport
import Testing

@testable import DocFS

extension CloudStoreConformance {
    @Test(arguments: StoreKind.allCases)
    func readDeliversTheRangeAtItsOffsets(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let bytes = pattern(3_000_000)
            let info = try await store.write(
                "a", .document(bytes), condition: .absent, keeping: nil)
            let ranges: [Range<UInt64>] = [
                0..<0, 0..<1, 5..<6, 2_999_999..<3_000_000, 3_000_000..<3_000_000,
                1_000_000..<2_500_000, 0..<3_000_000,
            ]
            for range in ranges {
                let sink = CollectingSink(size: bytes.count)
                try await store.read("a", range: range, expecting: info.revision!, into: sink)
                #expect(sink.count == UInt64(range.count))
                let (low, high) = (Int(range.lowerBound), Int(range.upperBound))
                let zeros = [UInt8](repeating: 0, count: bytes.count)
                let expected = zeros[..<low] + bytes[low..<high] + zeros[high...]
                #expect(sink.bytes == Array(expected))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func readMayGoStraightIntoAFile(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let bytes = pattern(2_500_000)
            let info = try await bench.store.write(
                "a", .document(bytes), condition: .absent, keeping: nil)
            let file = try #require(tmpfile())
            defer { fclose(file) }
            let sink = FileSink(descriptor: fileno(file))
            try await bench.store.read(
                "a", range: 1_000_000..<2_400_000, expecting: info.revision!, into: sink)
            var back = [UInt8](repeating: 0, count: 2_400_000)
            #expect(pread(fileno(file), &back, back.count, 0) == back.count)
            #expect(back[1_000_000...] == bytes[1_000_000..<2_400_000])
            #expect(Array(back[..<1_000_000]) == [UInt8](repeating: 0, count: 1_000_000))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func readRefusesAnyOtherRevision(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let one = try await store.create("a", "one")
            _ = try await store.write(
                "a", .document("two"), condition: .revision(one.revision!), keeping: nil)
            try await store.makeDirectory("d", metadata: .of(nil))
            let sink = CollectingSink(size: 3)
            await #expect(throws: DocFSError.refused) {
                try await store.read("a", range: 0..<3, expecting: one.revision!, into: sink)
            }
            await #expect(throws: DocFSError.refused) {
                try await store.read("a", range: 0..<0, expecting: one.revision!, into: sink)
            }
            await #expect(throws: DocFSError.refused) {
                try await store.read("d", range: 0..<0, expecting: one.revision!, into: sink)
            }
            await #expect(throws: DocFSError.notFound) {
                try await store.read("b", range: 0..<3, expecting: one.revision!, into: sink)
            }
            #expect(sink.count == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func readBehindTheEndIsCorrupt(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let one = try await bench.store.create("a", "one")
            let error = await #expect(throws: DocFSError.self) {
                try await bench.store.read(
                    "a", range: 1..<4, expecting: one.revision!, into: CollectingSink(size: 4))
            }
            guard case .corrupt = error else {
                Issue.record("not corrupt but \(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func readNeverMixesTwoRevisions(_ kind: StoreKind, inPlace: Bool) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let old = [UInt8](repeating: 1, count: 3_000_000)
            let new = [UInt8](repeating: 2, count: 3_000_000)
            let info = try await store.write(
                "a", .document(old), condition: .absent, keeping: nil)
            let changed = Once()
            let sink = CollectingSink(size: old.count) {
                guard changed.first() else { return }
                if inPlace {
                    try? bench.writeFromOutside("a", new)
                } else {
                    try? bench.renameFromOutside("a", new)
                }
            }
            do {
                try await store.read(
                    "a", range: 0..<3_000_000, expecting: info.revision!, into: sink)
                // A store that replaces whole bodies may still have the old one to give.
                #expect(sink.bytes == old)
            } catch DocFSError.refused {
            }
            #expect(!changed.first())
            #expect(try await store.contents("a") == new)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aSmallFileComesWholeOrNotAtAll(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let path: ItemPath = ".docfs/log/0000000000000001.json"
            #expect(try await store.small(path, atMost: 10) == nil)
            _ = try await store.write(path, .own("record"), condition: .absent, keeping: nil)
            #expect(try await store.small(path, atMost: 6) == Array("record".utf8))
            let error = await #expect(throws: DocFSError.self) {
                _ = try await store.small(path, atMost: 5)
            }
            guard case .corrupt = error else {
                Issue.record("not corrupt but \(String(describing: error))")
                return
            }
            _ = try await store.write(
                ".docfs/empty", .own(""), condition: .absent, keeping: nil)
            #expect(try await store.small(".docfs/empty", atMost: 5) == [])
            try await store.makeDirectory("d", metadata: .of(nil))
            _ = try await store.write("l", .link("d"), condition: .absent, keeping: nil)
            #expect(try await store.small("d", atMost: 5) == nil)
            #expect(try await store.small("l", atMost: 5) == nil)
            let one = try await store.create("a", "one")
            try await store.remove("a", expecting: one.revision!)
            #expect(try await store.small("a", atMost: 100) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anErrorOfTheSinkIsPassedOn(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let info = try await bench.store.create("a", "one")
            await #expect(throws: DocFSError.diskFull) {
                try await bench.store.read(
                    "a", range: 0..<3, expecting: info.revision!, into: FullSink())
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aCancelledTaskIsInterrupted(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await store.create("a", "one")
            }
            task.cancel()
            await #expect(throws: DocFSError.interrupted) { try await task.value }
            #expect(try await store.head("a") == nil)
        }
    }
}

/// Writes to a file, or lets the store do so.
private struct FileSink: ByteSink {
    let descriptor: Int32?

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        try Posix.write(descriptor!, bytes, at: offset)
    }

    func advanced(through range: Range<UInt64>) throws(DocFSError) {}
}

private struct FullSink: ByteSink {
    var descriptor: Int32? { nil }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DocFSError) {
        throw .diskFull
    }

    func advanced(through range: Range<UInt64>) throws(DocFSError) {}
}
