internal import Foundation
internal import Synchronization
internal import Testing

@testable import DocFS

/// `events`: reads that wait, poll, readers that are too slow.
struct EventReaderTests {
    private let fixture: ControlFixture

    init() throws { fixture = try ControlFixture() }

    private func post(_ path: ItemPath? = "dir/a", sentence: String? = nil) {
        fixture.catalog.bulletin.post(
            DocumentEvent(
                kind: .uploaded, scope: fixture.scope.id, item: ItemID(high: 0, low: 255),
                path: path, time: Timestamp(seconds: 1_700_000_000, nanoseconds: 42),
                sentence: sentence))
    }

    private func read(
        _ file: any ControlRequests.Handle, length: Int = 4096, isNonBlocking: Bool = false
    ) throws -> ReadAnswer {
        try fixture.control.read(file, at: 12345, length: length, isNonBlocking: isNonBlocking)
    }

    private func text(_ answer: ReadAnswer) throws -> String {
        String(decoding: try fixture.now(answer), as: UTF8.self)
    }

    private static func line(_ number: Int, _ path: String = "\"dir/a\"") -> String {
        """
        {"number":\(number),"event":"uploaded","scope":"Cloud","path":\(path),\
        "id":"000000000000000000000000000000ff","time":"2023-11-14T22:13:20.000000042Z",\
        "by":"here","from":null,"sibling":null,"saved":null,"pin":null,"sentence":null}

        """
    }

    /// What a waiting read got.
    private final class Ending: Sendable {
        let outcome = Mutex<PendingRead.Outcome?>(nil)

        init(_ answer: ReadAnswer) throws {
            guard case .waiting(let read) = answer else { throw DocFSError.invalidArgument }
            read.whenEnded { [self] outcome in self.outcome.withLock { $0 = outcome } }
        }

        var text: String? {
            guard case .bytes(let bytes) = outcome.withLock({ $0 }) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test("S29: a read waits for the first event after the open, and gets all that there is")
    func waits() throws {
        post("before")
        let file = try fixture.open("events")
        let ending = try Ending(try read(file))
        #expect(ending.text == nil)
        post()
        #expect(ending.text == Self.line(1))
        post()
        post(nil)
        #expect(try text(try read(file)) == Self.line(2) + Self.line(3, "null"))
    }

    @Test("Every reader gets every event; one that was closed gets none")
    func severalReaders() throws {
        let files = [try fixture.open("events"), try fixture.open("events")]
        let closed = try fixture.open("events")
        fixture.control.close(closed)
        post()
        for file in files { #expect(try text(try read(file)) == Self.line(0)) }
    }

    @Test("A small buffer loses nothing")
    func smallBuffer() throws {
        let file = try fixture.open("events")
        let ending = try Ending(try read(file, length: 10))
        post()
        var all = try #require(ending.text)
        #expect(all.utf8.count == 10)
        while all.utf8.count < Self.line(0).utf8.count {
            all += try text(try read(file, length: 10))
        }
        #expect(all == Self.line(0))
    }

    @Test("A read that must not wait is refused instead")
    func nonBlocking() throws {
        let file = try fixture.open("events")
        #expect(throws: DocFSError.wouldBlock) { try read(file, isNonBlocking: true) }
        post()
        #expect(try text(try read(file, isNonBlocking: true)) == Self.line(0))
    }

    @Test("S7: an interrupted read takes no event with it")
    func interrupted() throws {
        let file = try fixture.open("events")
        guard case .waiting(let first) = try read(file) else { throw DocFSError.invalidArgument }
        let second = try Ending(try read(file))
        first.cancel()
        post()
        #expect(second.text == Self.line(0))
        // One that ended without its reader having asked for the outcome.
        guard case .waiting(let third) = try read(file) else { throw DocFSError.invalidArgument }
        third.end(.failed(.interrupted))
        post()
        #expect(try text(try read(file)) == Self.line(1))
    }

    @Test("poll says when there is something, and wakes the last who asked, once")
    func polls() throws {
        let file = try fixture.open("events")
        let woken = Mutex<[Int]>([])
        #expect(!fixture.control.poll(file) { woken.withLock { $0.append(1) } })
        #expect(!fixture.control.poll(file) { woken.withLock { $0.append(2) } })
        post()
        post()
        #expect(woken.withLock { $0 } == [2])
        #expect(fixture.control.poll(file, wake: nil))
        _ = try read(file)
        #expect(!fixture.control.poll(file, wake: nil))
        #expect(fixture.control.poll(try fixture.open("status"), wake: nil))
    }

    @Test("A reader that is too slow is told how much it missed")
    func missed() throws {
        let file = try fixture.open("events")
        for _ in 0..<5000 { post() }
        let first = try text(try read(file, length: 60))
        #expect(first.hasPrefix("{\"event\":\"missed\",\"count\":1024}\n{\"number\":1024,"))
        var count = 0
        var all = Array(first.utf8)
        while let bytes = try? fixture.now(try read(file, length: 1 << 20)) { all += bytes }
        for line in all.split(separator: 0x0A) {
            let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            if object?["event"] as? String == "uploaded" { count += 1 }
        }
        #expect(count == 5000 - 1024)
    }

    @Test("S30: a line is JSON whatever the names are")
    func names() throws {
        let file = try fixture.open("events")
        let path = ItemPath([Name([0x22, 0x5C, 0x0A, 0x01]), Name([0xC3, 0x28])])
        post(path, sentence: "a\u{1}\"b")
        let bytes = try fixture.now(try read(file))
        #expect(bytes.filter { $0 == 0x0A }.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        #expect(object?["path"] as? String == "\"\\%0A%01/%C3(")
        #expect(object?["sentence"] as? String == "a\u{1}\"b")
    }

    @Test("Events from many threads reach a reader whole, in order and once")
    func manyThreads() async throws {
        let file = try fixture.open("events")
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<250 { post() } } }
        }
        var all: [UInt8] = []
        while let bytes = try? fixture.now(try read(file, length: 1000)) { all += bytes }
        let numbers = try all.split(separator: 0x0A).map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
            return object?["number"] as? Int
        }
        #expect(numbers == Array(0..<1000))
    }
}
