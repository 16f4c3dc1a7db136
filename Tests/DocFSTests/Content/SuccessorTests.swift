import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// S8: documents whose bodies another program has replaced, or goes on writing, before any record
/// tells of it.
@Suite struct SuccessorTests {
    private let newer = Revision("newer")

    private func replace(_ fixture: CloudFixture, by bytes: [UInt8]) {
        fixture.bodies.change { bodies in
            bodies.bodies = [newer: bytes]
            bodies.successor = newer
        }
    }

    @Test("Who has read nothing yet reads what is there instead, and the row is not told")
    func another() async throws {
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(50_000))
        let other = CloudFixture.bytes(40_000, seed: 2)
        replace(fixture, by: other)
        let file = try fixture.open("doc")
        #expect(try await fixture.readAll(file) == other)
        #expect(file.content?.isComplete == false)
        fixture.scope.close(file)
        try await eventually("let go") {
            fixture.contents.openContent(row.ino) == nil
                && access(fixture.contentPath(row), F_OK) != 0
        }
        let known = try #require(try fixture.row(row.ino))
        #expect(known.state == ContentState.none)
        #expect((known.size, known.sourceRevision) == (row.size, row.sourceRevision))
        #expect(known.error == nil)
    }

    @Test("Who has read a part reads on where that has only grown, and else no mixture")
    func grown() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(9 << 20)
        let grown = bytes + CloudFixture.bytes(1 << 20, seed: 3)
        for (name, other, isRead) in [
            ("grown", grown, true), ("other", CloudFixture.bytes(10 << 20, seed: 2), false),
        ] {
            fixture.bodies.change { $0.successor = nil }
            try fixture.addPlaceholder(name, bytes)
            let file = try fixture.open(name)
            let start = try await fixture.read(file, at: 0, length: 4096)
            #expect(start == Array(bytes[..<4096]))
            replace(fixture, by: other)
            if isRead {
                let end = try await fixture.read(file, at: 8 << 20, length: 4096)
                #expect(end == Array(grown[8 << 20..<(8 << 20) + 4096]))
                let all = try await fixture.readAll(file)
                #expect(all.count == grown.count && all == grown)
            } else {
                await #expect(throws: DocFSError.revisionGone) {
                    try await fixture.read(file, at: 8 << 20, length: 4096)
                }
            }
            fixture.scope.close(file)
        }
    }

    @Test("What changes again and again is read all the same")
    func restless() async throws {
        let fixture = try CloudFixture()
        try fixture.addPlaceholder("doc", CloudFixture.bytes(5000))
        let last = CloudFixture.bytes(5020)
        fixture.bodies.change { bodies in
            bodies.bodies = [Revision("0"): CloudFixture.bytes(5000)]
            bodies.successor = Revision("0")
            bodies.afterSuccessor = { bodies in
                guard let now = bodies.successor.flatMap({ Int($0.token) }), now < 20 else {
                    return
                }
                bodies.bodies = [Revision(String(now + 1)): Array(last[..<(5001 + now)])]
                bodies.successor = Revision(String(now + 1))
            }
        }
        #expect(try await fixture.readAll("doc") == last)
    }

    @Test("What is written after reading ahead is an edit of what was read")
    func written() async throws {
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(5000))
        let other = CloudFixture.bytes(6000, seed: 2)
        replace(fixture, by: other)
        let file = try fixture.open("doc", O_RDWR)
        #expect(try await fixture.readAll(file) == other)
        try fixture.write(file, [1, 2, 3], at: 6000)
        try fixture.close(file)
        try await eventually("idle") { fixture.contents.openContent(row.ino) == nil }
        let known = try #require(try fixture.row(row.ino))
        #expect((known.state, known.divergence, known.size) == (.current, .written, 6003))
        #expect(known.basis == newer)
        #expect(try await fixture.readAll("doc") == other + [1, 2, 3])
    }

    // S8
    @Test("Behind what was written all pieces wait for one search, which finds where the body is")
    func foundUnrecorded() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(40 << 20)
        let row = try fixture.addPlaceholder("doc", bytes)
        let source = try #require(row.sourceRevision)
        replace(fixture, by: CloudFixture.bytes(6000, seed: 2))
        fixture.bodies.change { bodies in
            bodies.unrecorded = [source: bytes]
            bodies.isSearchHeld = true
        }
        let file = try fixture.open("doc", O_RDWR)
        try fixture.write(file, [1, 2, 3], at: 5)
        async let whole = fixture.readAll(file)
        async let end = fixture.read(file, at: 39 << 20, length: 4096)
        try await eventually("several pieces are missed") {
            fixture.bodies.asked.count > 1 && fixture.bodies.behaviour.withLock { $0.searches } > 0
        }
        // Whoever concludes something from the others does so by now.
        try await Task.sleep(for: .milliseconds(50))
        #expect(fixture.contents.sourceLoss(of: try fixture.row("doc")) == nil)
        fixture.bodies.change { $0.isSearchHeld = false }
        #expect(try await end == Array(bytes[39 << 20..<(39 << 20) + 4096]))
        #expect(try await whole == bytes[..<5] + [1, 2, 3] + bytes[8...])
        #expect(fixture.bodies.behaviour.withLock { $0.searches } == 1)
        try fixture.close(file)
    }

    // S8
    @Test("A search that fails is made once more, and only what it does not find is gone")
    func searchedAgain() async throws {
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(5000))
        replace(fixture, by: CloudFixture.bytes(6000, seed: 2))
        fixture.bodies.change { $0.searchError = .offline("no answer") }
        let file = try fixture.open("doc", O_RDWR)
        try fixture.write(file, [1, 2, 3], at: 5)
        for _ in 0..<3 {
            await #expect(throws: DocFSError.self) { try await fixture.readAll(file) }
        }
        let searches = fixture.bodies.behaviour.withLock { $0.searches }
        #expect(searches >= 3)
        fixture.bodies.change { $0.searchError = nil }
        try fixture.catalog.write { (writer) throws(DocFSError) in
            try writer.setState(.remote, of: row.item, scope: row.scope, to: nil)
        }
        #expect(fixture.contents.sourceLoss(of: try fixture.row("doc")) == nil)
        for _ in 0..<20 where fixture.contents.sourceLoss(of: try fixture.row("doc")) == nil {
            await #expect(throws: DocFSError.self) { try await fixture.readAll(file) }
        }
        #expect(fixture.contents.sourceLoss(of: try fixture.row("doc")) == .gone)
        #expect(fixture.bodies.behaviour.withLock { $0.searches } == searches + 1)
        try fixture.close(file)
    }

    @Test("What is appended goes behind the body that is here", arguments: [4000, 6000])
    func appended(_ size: Int) async throws {  // S8
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(5000))
        let other = CloudFixture.bytes(size, seed: 2)
        replace(fixture, by: other)
        let file = try fixture.open("doc", O_RDWR | O_APPEND)
        try fixture.contents.hydrate(row.ino)
        let content = try #require(file.content)
        try await eventually("it is ahead") {
            content.state.withLock { $0.isAhead && $0.phase == .complete }
        }
        // The kernel knows the size that the row has.
        let end = try content.end(insteadOf: 5000)
        #expect(end == UInt64(size))
        try fixture.write(file, [1, 2, 3], at: end)
        try fixture.close(file)
        #expect(try await fixture.readAll("doc") == other + [1, 2, 3])
    }

    @Test("What nobody has read to its end is not what was written over", arguments: [0, 1, 6000])
    func unseen(_ read: Int) async throws {  // S14a
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(5000))
        let other = CloudFixture.bytes(6000, seed: 2)
        replace(fixture, by: other)
        let file = try fixture.open("doc", O_RDWR)
        // Something looked ahead for it, and had none of it yet.
        try fixture.contents.hydrate(row.ino)
        try await eventually("it is ahead") {
            file.content?.state.withLock { $0.isAhead && $0.phase == .complete } == true
        }
        if read > 0 {
            #expect(try await fixture.read(file, at: 0, length: read) == Array(other[..<read]))
        }
        try file.content?.setSize(0)
        try fixture.write(file, [1, 2, 3], at: 0)
        try fixture.close(file)
        try await eventually("idle") { fixture.contents.openContent(row.ino) == nil }
        let known = try #require(try fixture.row(row.ino))
        #expect(known.basis == (read == other.count ? newer : row.sourceRevision))
    }

    @Test("A document that was made of the replaced body is known to have nothing to come")
    func copied() async throws {
        let fixture = try CloudFixture()
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(5000))
        // The original went away; no record tells of its body any more.
        try fixture.catalog.write { (write) throws(DocFSError) in
            guard var copy = try write.read.local(row.ino) else { throw .notFound }
            for tree in [Tree.base, .remote] {
                try write.setState(tree, of: row.item, scope: row.scope, to: nil)
            }
            (copy.item, copy.divergence, copy.basis) = (ItemID(high: 9, low: 9), .stored, nil)
            try write.update(copy)
        }
        let other = CloudFixture.bytes(6000, seed: 2)
        replace(fixture, by: other)
        #expect(try await fixture.readAll("doc") == other)
        let known = try #require(try fixture.row(row.ino))
        let isHollow = try fixture.catalog.read { (read) throws(DocFSError) in
            try fixture.contents.isHollow(known, in: read)
        }
        #expect(isHollow)
    }

    @Test("What was written into a body that is gone becomes a row of its own")
    func remnant() async throws {
        let fixture = try CloudFixture()
        var sparse = [UInt8](repeating: 0, count: 5000)
        sparse.replaceSubrange(100..<103, with: [7, 8, 9])
        for (name, offset, wanted) in [("appended", 5000, [7, 8, 9]), ("middle", 100, sparse)] {
            let row = try fixture.addPlaceholder(name, CloudFixture.bytes(5000))
            fixture.bodies.change { ($0.bodies, $0.successor) = ([:], nil) }
            let file = try fixture.open(name, O_WRONLY)
            try fixture.write(file, [7, 8, 9], at: UInt64(offset))
            try fixture.close(file)
            replace(fixture, by: CloudFixture.bytes(10, seed: 4))
            try await eventually("it is known to be gone") {
                if let known = try fixture.row(row.ino),
                    fixture.contents.sourceLoss(of: known) == .gone
                {
                    return true
                }
                try? fixture.contents.hydrate(row.ino)
                return false
            }
            let known = try #require(try fixture.row(row.ino))
            let kept = try await fixture.contents.keepWritten(
                of: known, as: ItemID(high: 9, low: 9))
            let fresh = try #require(try fixture.row(kept))
            #expect((fresh.state, fresh.divergence, fresh.parent) == (.current, .written, nil))
            #expect(fresh.size == UInt64(wanted.count))
            let path = fixture.contentPath(fresh)
            let held = try Posix.contents(ofPath: path)
            #expect(held == wanted, "\(name)")
            try fixture.catalog.write { (write) throws(DocFSError) in try write.delete(kept) }
        }
    }
}
