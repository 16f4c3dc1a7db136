import Glibc
import TestSupport
import Testing

@testable import DocFS

/// Verifying documents that a program wrote into before all of their bytes were here.
@Suite struct VerificationTests {
    enum Change: CaseIterable {
        case appended, overwritten, cutAndAppended

        func apply(to file: OpenFile, in fixture: CloudFixture) throws {
            let size = try fixture.row("doc").size
            switch self {
            case .appended: try fixture.write(file, Self.text, at: size)
            case .overwritten: try fixture.write(file, Self.text, at: size / 2)
            case .cutAndAppended:
                try file.content?.setSize(size / 2)
                try fixture.write(file, Self.text, at: size / 2)
            }
        }

        func result(of bytes: [UInt8]) -> [UInt8] {
            let middle = bytes.count / 2
            switch self {
            case .appended: return bytes + Self.text
            case .overwritten:
                return bytes[..<middle] + Self.text + bytes[(middle + Self.text.count)...]
            case .cutAndAppended: return bytes[..<middle] + Self.text
            }
        }

        static let text = Array("written here".utf8)
    }

    // S6, S8
    @Test(
        "Damaged bytes are not joined with the bytes that a program wrote",
        arguments: Change.allCases, [5000, 9 << 20])
    func wrongBytes(_ change: Change, _ size: Int) async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(size)
        let row = try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.isWrong = true }
        let file = try fixture.open("doc", O_RDWR)
        try await CloudFixture.blocking { try change.apply(to: file, in: fixture) }
        try await eventually("error") { try fixture.row(row.ino)?.error != nil }
        #expect(try fixture.row("doc").state == .partial)
        fixture.bodies.change { $0.isWrong = false }
        #expect(try await fixture.readAll(file) == change.result(of: bytes))
        try fixture.close(file)
        try await eventually("current") { try fixture.row("doc").state == .current }
        #expect(try fixture.row("doc").error == nil)
        #expect(try await fixture.readAll("doc") == change.result(of: bytes))
    }

    // S6, S8
    @Test("They are not joined either where no record has the document any more")
    func unrecorded() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(5000)
        let row = try fixture.addPlaceholder("doc", bytes)
        let file = try fixture.open("doc", O_RDWR)
        // Another device has deleted it, and whoever has the bytes by now has not recorded them.
        try fixture.catalog.write { (write) throws(DocFSError) in
            for tree in [Tree.base, .remote] {
                try write.setState(tree, of: row.item, scope: row.scope, to: nil)
            }
        }
        fixture.bodies.change { $0.isWrong = true }
        try await CloudFixture.blocking { try Change.appended.apply(to: file, in: fixture) }
        try await eventually("error") { try fixture.row(row.ino)?.error != nil }
        #expect(try fixture.row("doc").state == .partial)
        fixture.bodies.change { $0.isWrong = false }
        #expect(try await fixture.readAll(file) == Change.appended.result(of: bytes))
        try fixture.close(file)
    }

    /// A placeholder of `size` bytes after `bytes` were written into it before its own arrived.
    private func overwritten(_ size: Int, with bytes: [UInt8], at offset: UInt64) async throws
        -> (CloudFixture, OpenFile)
    {
        let fixture = try CloudFixture()
        try fixture.addPlaceholder("doc", CloudFixture.bytes(size))
        let file = try fixture.open("doc", O_RDWR)
        fixture.bodies.change { $0.isHeld = true }
        _ = try await CloudFixture.blocking { try fixture.write(file, bytes, at: offset) }
        fixture.bodies.change { $0.isHeld = false }
        try await eventually("current") { try fixture.row("doc").state == .current }
        return (fixture, file)
    }

    // S6, S8
    @Test("Verification fetches the overwritten part again, and nothing else")
    func repeated() async throws {
        let new = [UInt8](repeating: 7, count: 1_000_000)
        let (fixture, file) = try await overwritten(3_000_000, with: new, at: 1_200_000)
        #expect(fixture.bodies.asked.last == 1_200_000..<2_200_000)
        try fixture.close(file)
    }

    // S6, S8
    @Test("Truncating to less than half does not download the rest")
    func mostlyCutOff() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(3_000_000)
        try fixture.addPlaceholder("doc", bytes)
        let file = try fixture.open("doc", O_RDWR)
        try file.content?.setSize(1_000_000)
        #expect(try await fixture.readAll(file) == Array(bytes[..<1_000_000]))
        try await eventually("current") { try fixture.row("doc").state == .current }
        #expect(fixture.bodies.asked.allSatisfy { $0.upperBound <= 1_000_000 })
        try fixture.close(file)
    }

    // S6, S8
    @Test("A document that was overwritten from end to end needs no verification")
    func nothingLeft() async throws {
        let new = CloudFixture.bytes(6000, seed: 2)
        let (fixture, file) = try await overwritten(5000, with: new, at: 0)
        #expect(try await fixture.readAll(file) == new)
        try fixture.close(file)
    }

    /// A document of 5,000 bytes to which something was appended, and whose body comes wrongly.
    private func appendedToDamaged() async throws -> (CloudFixture, OpenFile) {
        let fixture = try CloudFixture()
        try fixture.addPlaceholder("doc", CloudFixture.bytes(5000))
        fixture.bodies.change { $0.isWrong = true }
        let file = try fixture.open("doc", O_RDWR)
        _ = try await CloudFixture.blocking { try fixture.write(file, [7], at: 5000) }
        return (fixture, file)
    }

    private func readUntilLost(_ fixture: CloudFixture, _ file: OpenFile) async throws {
        for _ in 0..<20 where fixture.contents.sourceLoss(of: try fixture.row("doc")) == nil {
            await #expect(throws: DocFSError.self) { try await fixture.readAll(file) }
        }
    }

    // S8
    @Test("A body with the same wrong digest each time counts as lost")
    func damagedForGood() async throws {
        let (fixture, file) = try await appendedToDamaged()
        try await readUntilLost(fixture, file)
        #expect(fixture.contents.sourceLoss(of: try fixture.row("doc")) == .damaged)
        try fixture.close(file)
    }

    // S8
    @Test("A body that was transferred wrongly once and is not found then is gone, not damaged")
    func goneAfterADamagedTransfer() async throws {
        let (fixture, file) = try await appendedToDamaged()
        await #expect(throws: DocFSError.self) { try await fixture.readAll(file) }
        #expect(fixture.contents.sourceLoss(of: try fixture.row("doc")) == nil)
        fixture.bodies.change {
            $0.isWrong = false
            $0.bodies = [:]
        }
        try await readUntilLost(fixture, file)
        #expect(fixture.contents.sourceLoss(of: try fixture.row("doc")) == .gone)
        try fixture.close(file)
    }

    // S8
    @Test("What was not found under one record is looked for under the next")
    func missedUnderAnotherRecord() async throws {
        let (fixture, file) = try await appendedToDamaged()
        func lacksSource() throws -> Bool {
            let row = try fixture.row("doc")
            return try fixture.catalog.read { (read) throws(DocFSError) in
                try fixture.contents.lacksSource(row, in: read)
            }
        }
        fixture.bodies.change {
            $0.isWrong = false
            $0.bodies = [:]
        }
        try await readUntilLost(fixture, file)
        #expect(try !lacksSource(), "the record names it still")
        let row = try fixture.row("doc")
        try fixture.catalog.write { (writer) throws(DocFSError) in
            try writer.setState(.remote, of: row.item, scope: row.scope, to: nil)
        }
        #expect(try !lacksSource(), "the trash may have it")
        for _ in 0..<20 where try !lacksSource() {
            await #expect(throws: DocFSError.self) { try await fixture.readAll(file) }
        }
        try await eventually("it is lost") { try lacksSource() }
        try fixture.close(file)
    }

    // S6
    @Test("A read does not return the hole that a write is about to fill")
    func beingWritten() async throws {
        let fixture = try CloudFixture()
        let bytes = CloudFixture.bytes(5000)
        try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change { $0.isHeld = true }
        let file = try fixture.open("doc", O_RDWR)
        let content = try #require(file.content)
        _ = try await CloudFixture.blocking {
            try content.write(at: 0, length: 100) { (descriptor) throws(DocFSError) in
                if case .here = content.availability(at: 0, length: 100) {
                    Issue.record("zeros are read")
                }
                return Int(try Posix.check { pwrite(descriptor, [7], 1, 0) })
            }
        }
        fixture.bodies.change { $0.isHeld = false }
        #expect(try await fixture.readAll(file) == [7] + bytes[1...])
        try fixture.close(file)
    }
}
