import CFuse
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

@Suite struct WritingTests {
    // S8
    @Test("A document is emptied just when its last bytes are verified")
    func emptiedWhileVerified() async throws {
        let fixture = try CloudFixture()
        // Else all of it has come before anybody looks.
        fixture.bodies.change { $0.pause = 100_000 }
        var meetings = 0
        // On one processor the two threads meet rarely.
        for index in 0..<20_000 where index < 200 || meetings == 0 {
            let row = try fixture.addPlaceholder("\(index)", CloudFixture.bytes(20_000))
            let file = try fixture.open("\(index)", O_WRONLY)
            let content = try #require(file.content)
            try fixture.contents.hydrate(row.ino)
            let isMet = try await CloudFixture.blocking {
                var phase = ContentPhase.incomplete
                for _ in 0..<2_000_000 where phase == .incomplete {
                    phase = content.state.withLock(\.phase)
                }
                try content.setSize(0)
                return phase == .verifying
            }
            if isMet { meetings += 1 }
            try fixture.close(file)
            #expect(try fixture.row(row.ino)?.size == 0)
            #expect(try await fixture.text("\(index)").isEmpty)
        }
        #expect(meetings > 0, "none was met while it was verified")
    }

    // S13
    @Test("The row knows of an edit before its first byte, and of its size and time at the close")
    func intent() async throws {
        let fixture = try CloudFixture()
        try fixture.put("doc", "one")
        try fixture.acknowledge("doc")
        let before = try fixture.row("doc")
        let file = try fixture.open("doc", O_WRONLY)
        #expect(try fixture.row("doc") == before, "opening alone changes nothing")
        let ino = before.ino
        _ = try fixture.scope.write(file, at: 3, length: 2) { (descriptor) throws(DocFSError) in
            let row = try? fixture.row(ino)
            #expect(row?.divergence == .written && row?.isUnflushed == true)
            #expect(row?.generation == before.generation + 1)
            return Int(try Posix.check { pwrite(descriptor, "!!", 2, 3) })
        }
        #expect(try fixture.isPending(before.item))
        #expect(try fixture.attributes("doc").size == 5)
        #expect(try fixture.row("doc").size == 3)
        try fixture.scope.flush(file)
        fixture.contents.recordEverything()
        #expect(try fixture.row("doc").size == 5)
        #expect(try fixture.row("doc").isUnflushed == false)
        #expect(try fixture.row("doc").modified > before.modified)
        fixture.scope.close(file)
        #expect(try await fixture.text("doc") == "one!!")
    }

    // S13
    @Test("A new document that syncing meets before its maker opens it keeps what is written")
    func metBeforeOpened() async throws {
        let fixture = try CloudFixture()
        let contents = fixture.scope.contents
        let row = try fixture.scope.make(
            "doc", in: fixture.scope.root, mode: LocalItem.typeFile | 0o644, caller: fixture.me
        ) { row in
            row.divergence = .written
            row.isUnflushed = true
        }
        let met = try contents.open(row.ino, forWriting: false).content
        let content = try contents.openNew(row, forWriting: true)
        #expect(met === content)
        _ = try content.write(at: 0, length: 3) { (descriptor) throws(DocFSError) in
            Int(try Posix.check { pwrite(descriptor, "new", 3, 0) })
        }
        contents.close(met, forWriting: false)
        contents.close(content, forWriting: true)
        #expect(try await fixture.text("doc") == "new")
    }

    // S15a
    @Test("A time that was set after writing stays exactly")
    func times() async throws {
        let fixture = try CloudFixture()
        let (_, file, _) = try fixture.scope.create(
            "doc", in: fixture.scope.root, mode: 0o644, flags: O_CREAT | O_WRONLY,
            caller: fixture.me)
        try fixture.write(file, [1, 2, 3])
        var change = AttributeChange()
        change.modified = .set(Timestamp(seconds: 12345, nanoseconds: 678))
        _ = try fixture.scope.setAttributes(
            of: file.number, change, through: file, caller: fixture.me)
        try fixture.close(file)
        #expect(try fixture.row("doc").modified == Timestamp(seconds: 12345, nanoseconds: 678))
        #expect(try fixture.attributes("doc").modified.nanoseconds == 678)
    }

    // S8
    @Test(
        "Random writes and cuts into a placeholder, while its bytes arrive, give what a file has",
        arguments: 0..<24)
    func placeholder(_ seed: Int) async throws {
        let fixture = try CloudFixture()
        var random = SeededRandom(seed: UInt64(seed))
        var model = CloudFixture.bytes(Int.random(in: 1...9_000_000, using: &random))
        try fixture.addPlaceholder("doc", model)
        let isDirect = seed % 2 == 0
        fixture.bodies.change {
            $0.isDirect = isDirect
            $0.pause = 3_000_000
        }
        let file = try fixture.open("doc", O_RDWR)
        let reader = try fixture.open("doc")
        if seed % 3 == 0 {
            // The download is under way before the first write.
            _ = try fixture.scope.read(reader, at: 0, length: 1)
        }
        for step in 0..<12 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                let size = Int.random(in: 1...10_000_000, using: &random)
                try await CloudFixture.blocking { try file.content?.setSize(UInt64(size)) }
                model = Array(model.prefix(size))
                model += [UInt8](repeating: 0, count: size - model.count)
            case 1:
                let offset = Int.random(in: 0...model.count, using: &random)
                let part = try await fixture.read(reader, at: UInt64(offset), length: 5000)
                #expect(part == Array(model.dropFirst(offset).prefix(5000)), "step \(step)")
            case 2:
                // Some bytes come meanwhile.
                try? await Task.sleep(nanoseconds: 4_000_000)
            default:
                let offset = Int.random(in: 0...model.count, using: &random)
                let bytes = CloudFixture.bytes(
                    Int.random(in: 1...200_000, using: &random), seed: UInt64(step))
                _ = try await CloudFixture.blocking {
                    try fixture.write(file, bytes, at: UInt64(offset))
                }
                let end = max(model.count, offset + bytes.count)
                model += [UInt8](repeating: 0, count: end - model.count)
                model.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            }
            #expect(try fixture.attributes("doc").size == UInt64(model.count))
        }
        #expect(try await fixture.readAll(reader, piece: 1_000_000) == model)
        try fixture.close(file)
        fixture.scope.close(reader)
        try await eventually("current") { try fixture.row("doc").state == .current }
        #expect(try await fixture.readAll("doc", ) == model)
        #expect(try fixture.row("doc").size == UInt64(model.count))
    }

    // S8
    @Test("A write into a placeholder does not wait for a store that is silent")
    func silent() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(1_000_000)
        try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.isHeld = true }
        let file = try fixture.open("doc", O_RDWR)
        _ = try fixture.scope.read(file, at: 0, length: 10)
        let count = try await CloudFixture.blocking {
            try fixture.write(file, [7, 7, 7], at: 500_000)
        }
        #expect(count == 3)
        #expect(try await fixture.read(file, at: 500_000, length: 3) == [7, 7, 7])
        #expect(try fixture.row("doc").state == .partial)
        #expect(throws: DocFSError.wouldBlock) {
            try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
        }
        fixture.bodies.change { $0.isHeld = false }
        try fixture.close(file)
        var expected = bytes
        expected.replaceSubrange(500_000..<500_003, with: [7, 7, 7])
        #expect(try await fixture.readAll("doc") == expected)
        try await eventually("current") { try fixture.row("doc").state == .current }
        let snapshot = try await CloudFixture.blocking {
            try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
        }
        #expect(snapshot.digest == CloudFixture.digest(expected))
    }

    // S8
    @Test("Opening a placeholder with O_TRUNC downloads nothing, also while bytes arrive")
    func truncate() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(3_000_000)
        try fixture.addPlaceholder("quiet", bytes)
        let quiet = try fixture.open("quiet", O_WRONLY | O_TRUNC)
        try fixture.write(quiet, Array("new".utf8))
        try fixture.close(quiet)
        #expect(fixture.bodies.asked.isEmpty)
        #expect(try await fixture.text("quiet") == "new")

        try fixture.addPlaceholder("busy", bytes)
        fixture.bodies.change {
            $0.isDirect = true
            $0.pause = 100_000_000
        }
        let reader = try fixture.open("busy")
        guard case .waiting(let read) = try fixture.scope.read(reader, at: 0, length: 10) else {
            Issue.record("bytes without a fetch")
            return
        }
        try await eventually("asked") { !fixture.bodies.asked.isEmpty }
        let writer = try fixture.open("busy", O_WRONLY | O_TRUNC)
        let outcome = await withCheckedContinuation { continuation in
            read.whenEnded { continuation.resume(returning: $0) }
        }
        if case .range(_, _, let length) = outcome { #expect(length == 0 || length == 10) }
        try fixture.write(writer, Array("new".utf8))
        // Time enough for what was on its way to get in.
        try await Task.sleep(nanoseconds: 300_000_000)
        #expect(try await fixture.readAll(reader) == Array("new".utf8))
        try fixture.close(writer)
        fixture.scope.close(reader)
        #expect(try await fixture.text("busy") == "new")
    }

    // S8
    @Test("What arrives while a document is emptied never gets into what is written next")
    func emptiedWhileBytesArrive() async throws {
        let fixture = try CloudFixture()
        fixture.bodies.change {
            $0.isDirect = true
            $0.pause = 1_000_000
        }
        for number in 0..<100 {
            let name = "doc-\(number)"
            try fixture.addPlaceholder(name, CloudFixture.bytes(400_000, seed: UInt64(number)))
            let asked = fixture.bodies.asked.count
            let reader = try fixture.open(name)
            guard case .waiting(let read) = try fixture.scope.read(reader, at: 0, length: 10)
            else {
                Issue.record("bytes without a fetch")
                return
            }
            try await eventually("asked") { fixture.bodies.asked.count > asked }
            let writer = try fixture.open(name, O_WRONLY | O_TRUNC)
            try fixture.write(writer, Array("new".utf8))
            _ = await withCheckedContinuation { continuation in
                read.whenEnded { continuation.resume(returning: $0) }
            }
            // Some of what was on its way arrives.
            try await Task.sleep(nanoseconds: 5_000_000)
            try fixture.close(writer)
            fixture.scope.close(reader)
            #expect(try await fixture.text(name) == "new")
        }
    }

    @Test("A write that fails leaves what was there")
    func failed() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(400_000)
        try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.pause = 20_000_000 }
        let file = try fixture.open("doc", O_RDWR)
        _ = try fixture.scope.read(file, at: 0, length: 10)
        #expect(throws: DocFSError.diskFull) {
            try fixture.scope.write(file, at: 100_000, length: 200_000) {
                (_) throws(DocFSError) in throw .diskFull
            }
        }
        let short = try fixture.scope.write(file, at: 300_000, length: 1000) {
            (descriptor) throws(DocFSError) in
            Int(try Posix.check { pwrite(descriptor, "abc", 3, 300_000) })
        }
        #expect(short == 3)
        var expected = bytes
        expected.replaceSubrange(300_000..<300_003, with: Array("abc".utf8))
        #expect(try await fixture.readAll(file) == expected)
        try fixture.close(file)
    }

    @Test(
        "A write that fails after the download went around it leaves what the store has",
        arguments: [false, true])
    func failedMeanwhile(_ isWhole: Bool) async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(400_000)
        try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change {
            $0.isHeld = true
            $0.isHeldHalfway = !isWhole
        }
        let file = try fixture.open("doc", O_RDWR)
        _ = try fixture.scope.read(file, at: 0, length: 10)
        let content = try #require(file.content)
        await #expect(throws: DocFSError.diskFull) {
            try await CloudFixture.blocking {
                try fixture.scope.write(file, at: 1000, length: 100_000) {
                    (_) throws(DocFSError) in
                    let before = content.state.withLock { $0.lastProgress }
                    fixture.bodies.change { $0.isHeld = false }
                    // It fails when this much has come.
                    while content.state.withLock({ state in
                        isWhole ? !state.fetches.isEmpty : state.lastProgress == before
                    }) { usleep(1000) }
                    throw .diskFull
                }
            }
        }
        fixture.bodies.change { $0.isHeldHalfway = false }
        #expect(try await fixture.readAll(file) == bytes)
        try fixture.close(file)
        try await eventually("current") { try fixture.row("doc").state == .current }
        #expect(try await fixture.readAll("doc") == bytes)
    }

    // S13
    @Test("A write that a flush overtakes is as durable as any other")
    func flushMeanwhile() async throws {
        let fixture = try CloudFixture()
        try fixture.put("doc", "one")
        let file = try fixture.open("doc", O_RDWR)
        _ = try fixture.scope.write(file, at: 3, length: 2) { (descriptor) throws(DocFSError) in
            try fixture.scope.flush(file)
            return Int(try Posix.check { pwrite(descriptor, "!!", 2, 3) })
        }
        // The process is gone.
        let second = try CloudFixture(reopening: fixture)
        #expect(try await second.text("doc") == "one!!")
        #expect(try second.row("doc").size == 5)
        fixture.scope.close(file)
    }

    // S14
    @Test("A write after a snapshot raises the generation, one meanwhile refuses it")
    func snapshot() async throws {
        let fixture = try CloudFixture()
        try fixture.put("doc", "one")
        let file = try fixture.open("doc", O_RDWR)
        try fixture.write(file, Array("two".utf8))
        guard case .held = fixture.contents.writer(of: file.number.row) else {
            Issue.record("not held")
            return
        }
        let first = try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
        #expect(first.generation == (try fixture.row("doc").generation))
        #expect(first.size == 3 && first.digest == CloudFixture.digest(Array("two".utf8)))
        try fixture.write(file, Array("three".utf8))
        #expect(try fixture.row("doc").generation == first.generation + 1)
        #expect(throws: DocFSError.bodyChanged) {
            _ = try fixture.scope.write(file, at: 0, length: 1) { (_) throws(DocFSError) in
                _ = try fixture.contents.takeSnapshot(of: try fixture.scope.row(file.number))
                return 0
            }
        }
        try fixture.scope.sync(file, dataOnly: false)
        guard case .heldAndSynced = fixture.contents.writer(of: file.number.row) else {
            Issue.record("not synced")
            return
        }
        var buffer = [UInt8](repeating: 0, count: 3)
        let count = try buffer.withUnsafeMutableBytes { try first.source.read(into: $0, at: 0) }
        #expect(count == 3 && buffer == Array("two".utf8))
        try fixture.close(file)
        guard case .none = fixture.contents.writer(of: file.number.row) else {
            Issue.record("still held")
            return
        }
    }

    // S9
    @Test("While a row is claimed, an open for writing waits and then finds that it was replaced")
    func claim() async throws {
        let fixture = try CloudFixture()
        try fixture.put("doc", "one")
        try fixture.acknowledge("doc")
        let row = try fixture.row("doc")
        let writer = try fixture.open("doc", O_WRONLY)
        #expect(!fixture.contents.claim(row.ino))
        try fixture.close(writer)
        let reader = try fixture.open("doc")
        #expect(fixture.contents.claim(row.ino))
        async let opening = CloudFixture.blocking {
            try fixture.scope.open(
                FileNumber(row: row.ino), flags: O_WRONLY, caller: fixture.me
            ).0
        }
        let other = try await CloudFixture.blocking { try fixture.open("doc") }
        #expect(try await fixture.readAll(other) == Array("one".utf8))
        try fixture.catalog.write { (transaction) throws(DocFSError) in
            try fixture.scope.drop(row, row.changed, transaction)
        }
        fixture.contents.release([row.ino])
        // Somebody reads it: the writer gets what is open. Nobody does: it has to look again.
        let opened = try await opening
        fixture.scope.close(opened)
        fixture.scope.close(other)
        fixture.scope.close(reader)
        try await eventually("closed") { fixture.contents.openContent(row.ino) == nil }
        #expect(throws: DocFSError.stale) {
            try fixture.scope.open(FileNumber(row: row.ino), flags: O_WRONLY, caller: fixture.me)
        }
    }

    @Test("fallocate, SEEK_DATA and copy_file_range do on complete content what a disk does")
    func ranges() async throws {
        let fixture = try CloudFixture()
        try fixture.put("a", CloudFixture.bytes(100_000))
        try fixture.put("b", "")
        let a = try fixture.open("a", O_RDWR)
        let b = try fixture.open("b", O_RDWR)
        let copied = try fixture.scope.copyRange(from: a, at: 10, to: b, at: 5, length: 1000)
        #expect(copied == 1000)
        try fixture.scope.allocate(b, mode: 0, offset: 0, length: 200_000)
        #expect(try fixture.attributes("b").size == 200_000)
        try fixture.scope.allocate(b, mode: docfs_falloc_keep_size, offset: 0, length: 400_000)
        #expect(try fixture.attributes("b").size == 200_000)
        let punch = docfs_falloc_keep_size | docfs_falloc_punch_hole
        try fixture.scope.allocate(b, mode: punch, offset: 8192, length: 8192)
        #expect(try fixture.scope.seek(b, offset: 0, whence: docfs_seek_data) == 0)
        #expect(throws: DocFSError.noMoreData) {
            try fixture.scope.seek(b, offset: 200_000, whence: docfs_seek_data)
        }
        try fixture.close(b)
        var expected = [UInt8](repeating: 0, count: 200_000)
        expected.replaceSubrange(5..<1005, with: CloudFixture.bytes(100_000)[10..<1010])
        #expect(try await fixture.readAll("b") == expected)
        try fixture.addPlaceholder("p", CloudFixture.bytes(1000))
        let p = try fixture.open("p", O_RDWR)
        #expect(try fixture.scope.seek(p, offset: 10, whence: docfs_seek_data) == 10)
        #expect(try fixture.scope.seek(p, offset: 10, whence: docfs_seek_hole) == 1000)
        #expect(throws: DocFSError.notOffered) {
            try fixture.scope.copyRange(from: p, at: 0, to: a, at: 0, length: 10)
        }
        try fixture.close(a)
        try fixture.close(p)
    }

    @Test("S8: fallocate on a placeholder empties, grows and moves the time as on a disk")
    func rangesOfPlaceholder() async throws {
        let fixture = try CloudFixture()
        var expected = CloudFixture.bytes(10_000)
        try fixture.addPlaceholder("p", expected)
        let before = try fixture.attributes("p").modified
        let p = try fixture.open("p", O_RDWR)
        try fixture.scope.allocate(p, mode: docfs_falloc_keep_size, offset: 0, length: 1)
        #expect(try fixture.attributes("p").modified != before)
        let punch = docfs_falloc_keep_size | docfs_falloc_punch_hole
        try fixture.scope.allocate(p, mode: punch, offset: 9000, length: 50_000)
        try fixture.scope.allocate(p, mode: punch, offset: 100, length: 200)
        #expect(try fixture.attributes("p").size == 10_000)
        try fixture.scope.allocate(
            p, mode: docfs_falloc_zero_range, offset: 9900, length: 2100)
        #expect(try fixture.attributes("p").size == 12_000)
        try fixture.close(p)
        expected.replaceSubrange(100..<300, with: [UInt8](repeating: 0, count: 200))
        expected.replaceSubrange(9000..., with: [UInt8](repeating: 0, count: 3000))
        #expect(try await fixture.readAll("p") == expected)
    }

    // S4, S13
    @Test("What is written while the row takes over what was mapped is in the row afterwards")
    func writtenDuringTakeOver() async throws {
        let clock = HookedClock()
        let fixture = try CloudFixture(clock: clock)
        try fixture.put("doc", "mapped and ")
        // Whoever looks at the document has the row take over what was mapped.
        let ino = try fixture.row("doc").ino
        let mapped = try fixture.open("doc", O_RDWR)
        try fixture.scope.passed(mapped)
        let writer = try fixture.open("doc", O_WRONLY)
        try fixture.write(writer, Array("written".utf8), at: 11)
        // The size was looked at, and the row does not have it yet.
        clock.setHook {
            #expect((try? fixture.write(writer, Array(", twice".utf8), at: 18)) == 7)
        }
        #expect(fixture.contents.endHold(ino))
        try fixture.close(writer)
        try fixture.close(mapped)
        try await eventually("it is let go") {
            fixture.contents.openContent(ino) == nil
        }
        #expect(try fixture.row("doc").size == 25)
        #expect(try await fixture.text("doc") == "mapped and written, twice")
    }
}
