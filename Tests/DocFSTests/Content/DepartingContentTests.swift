import TestSupport
import Testing

@testable import DocFS

/// Documents on their way to `Local/`, of which the container has other bytes (S24).
struct DepartingContentTests {
    private let fixture: CloudFixture
    private var scope: Int64 { fixture.scope.id }

    init() throws {
        fixture = try CloudFixture(clock: StillClock())
        fixture.catalog.bulletin.updateHealth(of: scope) { $0.isOnline = true }
    }

    /// A document that is wholly here, and departs.
    private func departing() async throws -> LocalItem {
        let row = try fixture.addPlaceholder("doc", CloudFixture.bytes(1000, seed: 1))
        _ = try await fixture.readAll("doc")
        try await eventually("it is here, and closed") {
            try fixture.row(row.ino)?.state == .current
                && fixture.contents.openContent(row.ino) == nil
        }
        return try change(row.ino) { $0.isDeparting = true }
    }

    private func change(_ ino: Int64, _ body: @Sendable (inout LocalItem) -> Void) throws
        -> LocalItem
    {
        try fixture.catalog.write { (write) throws(DocFSError) in
            guard var row = try write.read.local(ino) else { throw DocFSError.notFound }
            body(&row)
            try write.update(row)
            return row
        }
    }

    /// The container has another body, executable, which the base may have already.
    private func save(_ row: LocalItem, _ bytes: [UInt8], base isBase: Bool = false) throws
        -> ItemState
    {
        try fixture.catalog.write { (write) throws(DocFSError) in
            guard var state = try write.read.state(.base, of: row.item, scope: scope) else {
                throw DocFSError.notFound
            }
            state.content = .file(
                Body(
                    size: UInt64(bytes.count), digest: CloudFixture.digest(bytes),
                    revision: Revision("newer")))
            state.metadata = Metadata(mode: 0o755, modified: Timestamp(seconds: 77))
            try write.setState(.remote, of: row.item, scope: scope, to: state)
            if isBase { try write.setState(.base, of: row.item, scope: scope, to: state) }
            return state
        }
    }

    private func base(of row: LocalItem) throws -> ItemState? {
        try fixture.catalog.read { (read) throws(DocFSError) in
            try read.state(.base, of: row.item, scope: scope)
        }
    }

    @Test("The newest version arrives, and leaves the container", arguments: [false, true])
    func newest(isBase: Bool) async throws {
        let row = try await departing()
        let state = try save(row, CloudFixture.bytes(2000, seed: 2), base: isBase)
        #expect(try fixture.contents.takeNewest(ofDeparting: row.ino))
        let now = try #require(try fixture.row(row.ino))
        #expect(now.state == .none && now.size == 2000 && now.basis == Revision("newer"))
        #expect(isBase || now.metadata == state.metadata)
        #expect(try base(of: row) == state)
        #expect(try fixture.contents.takeNewest(ofDeparting: row.ino) == false)
    }

    @Test("S20: what came after the store had none is not taken for what is here, but for nothing")
    func removedMeanwhile() async throws {
        let row = try await departing()
        let state = try save(row, CloudFixture.bytes(2000, seed: 2))
        try fixture.catalog.write { (write) throws(DocFSError) in
            try write.setState(.base, of: row.item, scope: scope, to: nil)
        }
        #expect(try fixture.contents.takeNewest(ofDeparting: row.ino) == false)
        #expect(try fixture.row(row.ino)?.state == .current)
        _ = try change(row.ino) { $0.state = .none }
        #expect(try fixture.contents.takeNewest(ofDeparting: row.ino))
        let now = try #require(try fixture.row(row.ino))
        #expect(now.size == 2000 && now.modified == state.metadata.modified)
        #expect(now.mode == row.mode)
        #expect(try base(of: row) == state)
    }

    @Test("Nobody has seen it where the document does not depart any more, or is open")
    func staysUnseen() async throws {
        let row = try await departing()
        let before = try base(of: row)
        _ = try save(row, CloudFixture.bytes(2000, seed: 2))
        let (content, _) = try fixture.contents.open(row.ino, forWriting: false)
        #expect(throws: DocFSError.busy) {
            try fixture.contents.takeNewest(ofDeparting: row.ino)
        }
        fixture.contents.close(content, forWriting: false)
        _ = try change(row.ino) { $0.isDeparting = false }
        #expect(throws: DocFSError.busy) {
            try fixture.contents.takeNewest(ofDeparting: row.ino)
        }
        #expect(try base(of: row) == before)
        #expect(try fixture.row(row.ino)?.state == .current)
    }

    @Test("Bytes that are here already are not brought again, and none are dropped offline")
    func staysHere() async throws {
        let row = try await departing()
        _ = try save(row, CloudFixture.bytes(1000, seed: 1))
        #expect(try fixture.contents.takeNewest(ofDeparting: row.ino) == false)
        _ = try save(row, CloudFixture.bytes(2000, seed: 2))
        fixture.catalog.bulletin.updateHealth(of: scope) { $0.isOnline = false }
        #expect(throws: DocFSError.self) {
            try fixture.contents.takeNewest(ofDeparting: row.ino)
        }
        #expect(try fixture.row(row.ino)?.state == .current)
    }
}
