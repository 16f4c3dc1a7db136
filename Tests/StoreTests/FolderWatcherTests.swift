import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DocFS

@Suite struct FolderWatcherTests {
    @Test func nothingInANewTreeIsMissed() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let heard = Listener(bench.store.events())
        try await heard.ready()
        // Made as fast as a program can, so that most of it is there before its watches are.
        var expected: Set<StoreEvent> = []
        for top in 0..<20 {
            var path = "t\(top)"
            for level in 0..<10 {
                try FileManager.default.createDirectory(
                    atPath: bench.disk(ItemPath(path)), withIntermediateDirectories: false)
                try bench.writeFromOutside(ItemPath(path + "/file"), [1])
                expected.insert(.changed(ItemPath(path)))
                expected.insert(.changed(ItemPath(path + "/file")))
                path += "/d\(level)"
            }
        }
        try await eventually("heard of \(expected.subtracting(heard.all))") {
            expected.isSubset(of: heard.all)
        }
    }

    @Test func aDirectoryIsWatchedBeforeItIsReported() async throws {
        let bench = try await FolderBench()
        let outside = bench.directory + "-outside"
        defer {
            bench.end()
            // Gone once the test has moved it.
            try? FileManager.default.removeItem(atPath: outside)
        }
        let top = ItemPath("top")
        let names = (0..<300).map { Name("d\($0)") }
        for name in names {
            let directory = outside + "/" + name.description
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
            #expect(FileManager.default.createFile(atPath: directory + "/file", contents: nil))
        }
        let removed = Shared(0)
        let heard = Listener(bench.store.events()) { event in
            guard case .changed(let path) = event, path.parent == top else { return }
            // As soon as its directory is known.
            let status = unlink(bench.disk(path.appending(Name("file"))))
            if status == 0 { removed.value.withLock { $0 += 1 } }
        }
        try await heard.ready()
        #expect(rename(outside, bench.disk(top)) == 0)
        let expected = Set(
            names.map { StoreEvent.changed(top.appending($0).appending(Name("file"))) })
        try await eventually("heard of \(expected.subtracting(heard.all))") {
            expected.isSubset(of: heard.all)
        }
        #expect(removed.value.withLock { $0 } == names.count)
        #expect(Set(names.map { StoreEvent.watched(top.appending($0)) }).isSubset(of: heard.all))
    }

    @Test func aMovedTreeIsFollowedUnderItsNewName() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try FileManager.default.createDirectory(
            atPath: bench.disk("a/b/c"), withIntermediateDirectories: true)
        try bench.writeFromOutside("a/b/c/file", [1])
        let heard = Listener(bench.store.events())
        try await heard.ready()
        #expect(rename(bench.disk("a/b"), bench.disk("n")) == 0)
        try await heard.wait(for: .changed("a/b"))
        try await heard.wait(for: .changed("n"))
        try await heard.wait(for: .changed("n/c/file"))
        try bench.writeFromOutside("n/c/file", [2])
        try await heard.wait(for: .changed("n/c/file"))
        // The old name is free for another directory.
        try FileManager.default.createDirectory(
            atPath: bench.disk("a/b"), withIntermediateDirectories: false)
        try await heard.wait(for: .changed("a/b"))
        try bench.writeFromOutside("a/b/new", [3])
        try await heard.wait(for: .changed("a/b/new"))
    }

    @Test func whatOtherContainersKeepIsNotReported() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try FileManager.default.createDirectory(
            atPath: bench.disk("sub/.docfs/log"), withIntermediateDirectories: true)
        let heard = Listener(bench.store.events())
        try await heard.ready()
        try bench.writeFromOutside("sub/.docfs/log/1", [1])
        try bench.writeFromOutside(".docfs/other", [1])
        try bench.writeFromOutside("sub/last", [1])
        try await heard.wait(for: .changed("sub/last"))
        #expect(heard.all == [.lookAtEverything, .changed("sub/last")])
    }

    @Test func aLogThatIsMadeLaterIsFollowed() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let heard = Listener(bench.store.events())
        try await heard.ready()
        for number in 1...3 {
            _ = try await bench.store.write(
                ItemPath(".docfs/log/\(number)"), .own("x"), condition: .absent, keeping: nil)
            try await heard.wait(for: .logGrew)
        }
    }

    @Test func aMarkerThatIsOverwrittenIsLookedAtWithTheLog() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try FileManager.default.createDirectory(
            atPath: bench.disk(".docfs/log"), withIntermediateDirectories: true)
        try bench.writeFromOutside(".docfs/container.json", [1])
        let heard = Listener(bench.store.events())
        try await heard.ready()
        try bench.writeFromOutside(".docfs/container.json", [2])
        try await heard.wait(for: .logGrew)
    }

    @Test func aFileThatIsHeldOpenIsReportedAsItGrows() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        try bench.writeFromOutside("log", [1])
        let heard = Listener(bench.store.events())
        try await heard.ready()
        let file = try #require(FileHandle(forWritingAtPath: bench.disk("log")))
        defer { try? file.close() }
        for byte in UInt8(2)...3 {
            try file.seekToEnd()
            try file.write(contentsOf: Data([byte]))
            try await heard.wait(for: .changed("log"))
        }
    }

    @Test func aRootThatGoesAndComesBackIsLookedAtWhole() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let heard = Listener(bench.store.events())
        try await heard.ready()
        try bench.hide()
        try await heard.wait(for: .lookAtEverything)
        try bench.show()
        try await heard.wait(for: .lookAtEverything)
        try bench.writeFromOutside("a", [1])
        try await heard.wait(for: .changed("a"))
        #expect(!heard.hasEnded)
    }

    @Test func eventsEndWithTheStore() async throws {
        let directory = NSTemporaryDirectory() + "/docfs-store-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var store: FolderStore? = FolderStore(path: directory)
        try await store?.attach(create: true)
        let heard = Listener(try #require(store).events())
        try await heard.wait(for: .lookAtEverything)
        store = nil
        try await eventually("they end") { heard.hasEnded }
    }

    @Test func whatASlowListenerMissesIsLookedAtWhole() async throws {
        var isTold = false
        // Where the watcher is slower than the writer, nothing is missed: once more then.
        for _ in 0..<10 where !isTold { isTold = try await isToldWhatWasMissed() }
        #expect(isTold)
    }

    /// Has more happen than fits while nobody listens.
    private func isToldWhatWasMissed() async throws -> Bool {
        let bench = try await FolderBench()
        defer { bench.end() }
        let events = bench.store.events()
        // Most often the watches are set by then; it is tried again where they are not.
        try await Task.sleep(for: .milliseconds(300))
        for index in 0..<EventReporter.capacity + 100 {
            try bench.writeFromOutside(ItemPath("f\(index % 100)"), [1])
            // The kernel's own queue must not overflow first (fs.inotify.max_queued_events).
            if index % 1000 == 0 { try await Task.sleep(for: .milliseconds(20)) }
        }
        // Time for the watcher to take it all: it is tried again where that is too little.
        try await Task.sleep(for: .milliseconds(300))
        let heard = Listener(events)
        // Though nothing more happens.
        var looks = 0
        for _ in 0..<500 where looks < 2 {
            looks = heard.all.count { $0 == .lookAtEverything }
            // This is the pause between two looks.
            try await Task.sleep(for: .milliseconds(10))
        }
        try bench.writeFromOutside("last", [1])
        try await heard.wait(for: .changed("last"))
        return looks == 2
    }
}
