import Foundation
import TestSupport
import Testing

@testable import DocFS

/// A daemon may be killed between any two system calls of a change.
///
/// Each test leaves what such a kill leaves, and does the change again under its operation id.
@Suite struct FolderStoreResumingTests {
    static let keep: ItemPath = ".docfs/versions/a/base"

    /// A document `a` with `base`, and a replacement that is to be interrupted.
    private struct Replacement {
        let bench: FolderBench
        let base: ObjectInfo
        let operation = OperationID.fresh
        let object: ObjectWrite

        init(most: FolderTraits = FolderTraits()) async throws {
            bench = try await FolderBench(most: most)
            base = try await bench.store.create("a", "base")
            object = .document("ours", operation: operation)
        }

        var aside: String { bench.directory + "/.docfs/tmp/\(operation)" }
        var path: String { bench.directory + "/a" }

        func again() async throws -> ObjectInfo {
            try await bench.store.write(
                "a", object, condition: .revision(base.revision!),
                keeping: FolderStoreResumingTests.keep)
        }

        /// Ends the change instead of doing it again: it must leave nothing behind.
        func settle(expecting current: String, kept: String?) async throws {
            let info = try await bench.store.settle(
                "a", object, condition: .revision(base.revision!),
                keeping: FolderStoreResumingTests.keep)
            #expect((info != nil) == (current == "ours"))
            #expect(try await bench.store.text("a") == current)
            #expect(
                try await bench.store.head(FolderStoreResumingTests.keep) != nil
                    ? try await bench.store.text(FolderStoreResumingTests.keep) == kept
                    : kept == nil)
            #expect(try bench.staged() == 0)
        }

        /// Leaves our whole body at `place`, as the change itself does, and before that what is at
        /// the document's name in `aside`, when there is one.
        func leaveOurs(at place: String, former aside: String? = nil) async throws {
            _ = try await bench.store.write("other", object, condition: .absent, keeping: nil)
            if let aside { try move(path, aside) }
            try move(bench.directory + "/other", place)
        }

        func move(_ from: String, _ to: String) throws {
            guard rename(from, to) == 0 else { throw Posix.lastError() }
        }

        func expectDone() async throws {
            let info = try await again()
            #expect(
                info.metadata?.operation == operation || !bench.folder.capabilities.objectMetadata)
            #expect(try await bench.store.text("a") == "ours")
            #expect(try await bench.store.text(FolderStoreResumingTests.keep) == "base")
            #expect(try await bench.store.head("a") == info)
            #expect(try bench.staged() == 0)
        }

        func expectRefused(current: String, found: Set<String>, kept: String?) async throws {
            await #expect(throws: DocFSError.refused) { _ = try await again() }
            #expect(try await bench.store.text("a") == current)
            var bodies: Set<String> = []
            if try await bench.store.head(".docfs/found") != nil {
                for info in try await bench.store.list(".docfs/found") {
                    bodies.insert(try await bench.store.text(info.path))
                }
            }
            #expect(bodies == found)
            if let kept {
                #expect(try await bench.store.text(FolderStoreResumingTests.keep) == kept)
            } else {
                #expect(try await bench.store.head(FolderStoreResumingTests.keep) == nil)
            }
            #expect(try bench.staged() == 0)
        }
    }

    static let traits: [FolderTraits] = [
        FolderTraits(), FolderTraits(attributes: false),
    ]

    @Test(arguments: traits)
    func killedWhileTheBodyWasWritten(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try Data("ou".utf8).write(to: URL(fileURLWithPath: change.aside + ".part"))
        try await change.expectDone()
    }

    @Test(arguments: traits)
    func killedBeforeTheExchange(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try await change.leaveOurs(at: change.aside)
        try await change.expectDone()
    }

    @Test(arguments: traits)
    func killedAfterTheExchange(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try await change.leaveOurs(at: change.path, former: change.aside)
        try await change.expectDone()
    }

    @Test(arguments: traits)
    func killedAfterAnExchangeThatBroughtOutAnotherProgramsBody(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try change.bench.renameFromOutside("a", Array("theirs".utf8))
        try await change.leaveOurs(at: change.path, former: change.aside)
        try await change.expectRefused(current: "theirs", found: [], kept: nil)
    }

    @Test(arguments: traits)
    func killedAfterTheExchangeAndReplacedSince(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try change.move(change.path, change.aside)
        try change.bench.writeFromOutside("a", Array("later".utf8))
        try await change.expectRefused(current: "later", found: [], kept: "base")
    }

    @Test(arguments: traits)
    func killedWithAnotherProgramsBodyAsideAndReplacedSince(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: change.aside))
        try change.bench.renameFromOutside("a", Array("later".utf8))
        try await change.expectRefused(current: "later", found: ["theirs"], kept: nil)
    }

    @Test func killedAfterTheBaseWasKeptByALink() async throws {
        let most = FolderTraits(renamesWithoutReplacing: false, exchanges: false)
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try FileManager.default.createDirectory(
            atPath: change.bench.directory + "/.docfs/versions/a",
            withIntermediateDirectories: true)
        #expect(link(change.path, change.bench.disk(Self.keep)) == 0)
        try await change.expectDone()
    }

    @Test func killedBetweenTheLinkAndTheUnlinkOfACreation() async throws {
        let bench = try await FolderBench(
            most: FolderTraits(renamesWithoutReplacing: false, exchanges: false))
        defer { bench.end() }
        let object = ObjectWrite.document("one")
        let info = try await bench.store.write("a", object, condition: .absent, keeping: nil)
        let part = bench.directory + "/.docfs/tmp/\(object.metadata!.operation).part"
        #expect(link(bench.disk("a"), part) == 0)
        #expect(
            try await bench.store.write("a", object, condition: .absent, keeping: nil) == info)
        #expect(try await bench.store.text("a") == "one")
    }

    @Test func killedBetweenTheExchangeAndTheRemovalOfAMove() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let one = try await bench.store.create("a", "one")
        let two = try await bench.store.create("b", "two")
        try Posix.rename(
            at: AT_FDCWD, Array(bench.disk("a").utf8), to: AT_FDCWD, Array(bench.disk("b").utf8),
            mode: .exchange)
        let moved = try await bench.store.move(
            "a", expecting: one.revision, to: "b", condition: .revision(two.revision!))
        #expect(moved.revision == one.revision)
        #expect(try await bench.store.text("b") == "one")
        #expect(try await bench.store.head("a") == nil)
    }

    @Test func killedBetweenTheAttributeAndTheTimeOfSetMetadata() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let one = try await bench.store.create("a", "one")
        let metadata = ObjectMetadata.of(
            Array("one".utf8), item: one.metadata!.item, modified: Timestamp(seconds: 9))
        let changed = try await bench.store.setMetadata(
            "a", expecting: one.revision, metadata)
        #expect(changed.metadata == metadata)
        let file = Array(bench.disk("a").utf8)
        try Posix.setTimes(at: AT_FDCWD, file, accessed: .keep, modified: .set(one.modified))
        // Its new metadata speaks of the file already, under the old revision.
        let between = try #require(try await bench.store.head("a"))
        #expect(between.revision == one.revision)
        #expect(between.metadata == metadata)
        #expect(
            try await bench.store.setMetadata("a", expecting: one.revision, metadata) == changed)
    }

    @Test func killedBeforeADirectoryWasRenamedToItsPlace() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let metadata = ObjectMetadata.of(nil)
        let part = bench.directory + "/.docfs/tmp/\(metadata.operation).part"
        try FileManager.default.createDirectory(
            atPath: part, withIntermediateDirectories: false)
        try await bench.store.makeDirectory("d", metadata: metadata)
        #expect(try await bench.store.head("d")?.metadata == metadata)
        #expect(try bench.staged() == 0)
    }

    // MARK: Not done again

    @Test(arguments: traits)
    func notRepeatedAfterTheBodyWasWritten(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try Data("ou".utf8).write(to: URL(fileURLWithPath: change.aside + ".part"))
        try await change.settle(expecting: "base", kept: nil)
    }

    @Test(arguments: traits)
    func notRepeatedBeforeTheExchange(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try await change.leaveOurs(at: change.aside)
        try await change.settle(expecting: "base", kept: nil)
    }

    @Test(arguments: traits)
    func notRepeatedAfterTheExchange(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try await change.leaveOurs(at: change.path, former: change.aside)
        try await change.settle(expecting: "ours", kept: "base")
    }

    @Test(arguments: traits)
    func notRepeatedAndReplacedSince(_ most: FolderTraits) async throws {
        let change = try await Replacement(most: most)
        defer { change.bench.end() }
        try change.move(change.path, change.aside)
        try change.bench.writeFromOutside("a", Array("later".utf8))
        try await change.settle(expecting: "later", kept: "base")
    }

    @Test func notRepeatedWhereADirectoryWasStagedAndItsParentIsGone() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let object = ObjectWrite(payload: .bytes([UInt8](), size: 0), metadata: .of(nil))
        let part = bench.directory + "/.docfs/tmp/\(object.metadata!.operation).part"
        try FileManager.default.createDirectory(
            atPath: part, withIntermediateDirectories: false)
        let info = try await bench.store.settle(
            "gone/d", object, condition: .absent, keeping: nil)
        #expect(info == nil)
        #expect(try bench.staged() == 0)
    }

    @Test func aRecordThatADeadDaemonHasStagedIsClearedAway() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let device = DeviceID.fresh
        let left = [
            "\(device)-1.part", "probe-\(device)-1-a", "\(DeviceID.fresh)-1.part",
            "\(OperationID.fresh).part",
        ]
        for name in left {
            try Data("half of".utf8)
                .write(to: URL(fileURLWithPath: bench.directory + "/.docfs/tmp/" + name))
        }
        let store = FolderStore(path: bench.directory, device: device)
        try await store.attach(create: false)
        _ = try await store.write(
            ".docfs/log/1", .own("a record"), condition: .absent, keeping: nil)
        #expect(try await store.text(".docfs/log/1") == "a record")
        #expect(try bench.staged() == 2)
    }

    // S34
    @Test func twoOfOneDeviceStageNothingUnderOneName() async throws {
        let bench = try await FolderBench()
        defer { bench.end() }
        let device = DeviceID.fresh
        let first = FolderStore(path: bench.directory, device: device)
        try await first.attach(create: false)
        // The first is in the middle of a record when the second starts and writes one too.
        let source = HookedSource(bytes: Array("the first's".utf8)) { (offset) throws(DocFSError) in
            guard offset == 0 else { return }
            let twin = try AttachedFolder.attach(
                path: bench.directory, control: .required, owner: device)
            _ = try twin.write(
                ".docfs/log/1", .own("the twin's"), condition: .absent, keeping: nil,
                Cancellation())
        }
        let record = ObjectWrite(payload: .bytes(source, size: 11), metadata: nil)
        _ = try await first.write(".docfs/log/2", record, condition: .absent, keeping: nil)
        #expect(try await first.text(".docfs/log/1") == "the twin's")
        #expect(try await first.text(".docfs/log/2") == "the first's")
    }
}
