import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// Many threads on one document: writers of their own parts of it, readers of everything, and what
/// syncing does meanwhile.
@Suite struct ContentStressTests {
    private static let part = 60_001
    private static let writers = 4

    /// What the writers leave behind.
    private final class Outcome: Sendable {
        let isOver = Atomic(false)
        let written = Mutex<[Int: [UInt8]]>([:])
    }

    /// What one writer knows of its part.
    private struct Part {
        let offset: Int
        var bytes: [UInt8]
    }

    @Test(
        "Writers of different parts see what they wrote, whatever else goes on",
        arguments: 0..<6)
    func parts(_ seed: Int) async throws {
        let fixture = try CloudFixture()
        let size = Self.part * Self.writers
        let bytes = CloudFixture.bytes(size, seed: UInt64(seed) + 100)
        let row = try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change {
            $0.isDirect = seed % 2 == 0
            $0.pause = 2_000_000
        }
        let outcome = Outcome()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await CloudFixture.blocking {
                    while !outcome.isOver.load(ordering: .relaxed) {
                        Self.sync(row.ino, fixture)
                        // Between two of them there are writes.
                        usleep(700)
                    }
                }
            }
            group.addTask {
                defer { outcome.isOver.store(true, ordering: .relaxed) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for index in 0..<Self.writers {
                        group.addTask {
                            let offset = index * Self.part
                            var part = Part(
                                offset: offset,
                                bytes: Array(bytes[offset..<offset + Self.part]))
                            try await Self.edit(&part, seed * 10 + index, row.ino, fixture)
                            let bytes = part.bytes
                            outcome.written.withLock { $0[index] = bytes }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await group.waitForAll()
        }
        let expected = (0..<Self.writers).flatMap { index in
            outcome.written.withLock { $0[index]! }
        }
        #expect(try await fixture.readAll("doc") == expected)
        try await eventually("current") { try fixture.row(row.ino)?.state == .current }
        let snapshot = try await CloudFixture.blocking {
            try fixture.contents.takeSnapshot(of: try fixture.row("doc"))
        }
        #expect(snapshot.digest == CloudFixture.digest(expected))
        #expect(try fixture.row("doc").size == UInt64(size))
        #expect(fixture.contents.table.withLock { $0.closing.isEmpty && $0.claimed.isEmpty })
    }

    private static func sync(_ ino: Int64, _ fixture: CloudFixture) {
        if fixture.contents.claim(ino) { fixture.contents.release([ino]) }
        if let row = try? fixture.row(ino),
            let snapshot = try? fixture.contents.takeSnapshot(of: row)
        {
            // What was hashed is what lies there, unless the row says that it went on.
            let after = try? fixture.row(ino)
            if after?.generation == snapshot.generation { #expect(snapshot.size == row.size) }
        }
        try? fixture.contents.evict(ino)
        try? fixture.contents.hydrate(ino)
    }

    private static func edit(
        _ part: inout Part, _ seed: Int, _ ino: Int64, _ fixture: CloudFixture
    ) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<8 {
            let file = try await CloudFixture.blocking {
                try fixture.scope.open(FileNumber(row: ino), flags: O_RDWR, caller: fixture.me).0
            }
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let start = Int.random(in: 0..<part.bytes.count, using: &random)
                let count = min(
                    Int.random(in: 1...8000, using: &random), part.bytes.count - start)
                if Bool.random(using: &random) {
                    let new = CloudFixture.bytes(count, seed: random.next())
                    let offset = UInt64(part.offset + start)
                    _ = try await CloudFixture.blocking {
                        try fixture.write(file, new, at: offset)
                    }
                    part.bytes.replaceSubrange(start..<start + count, with: new)
                } else {
                    let read = try await fixture.read(
                        file, at: UInt64(part.offset + start), length: count)
                    #expect(read == Array(part.bytes[start..<start + count]))
                }
            }
            try await CloudFixture.blocking { try fixture.close(file) }
        }
    }
}
