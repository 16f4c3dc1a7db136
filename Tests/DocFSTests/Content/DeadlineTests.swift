import TestSupport
import Testing

@testable import DocFS

/// No read waits for ever (S7).
struct DeadlineTests {
    @Test(
        "A silent store ends reads by the deadline, and later reads ask anew",
        arguments: [false, true])
    func deadline(_ isDeaf: Bool) async throws {
        let clock = StillClock()
        let fixture = try CloudFixture(clock: clock)
        let bytes = CloudFixture.bytes(100_000)
        try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change {
            $0.isHeld = true
            $0.isDeaf = isDeaf
        }
        let file = try fixture.open("doc")
        let reading = Task { try await fixture.read(file, at: 0, length: 10) }
        try await eventually("watched") { clock.sleepers == 1 }
        clock.advance(nanoseconds: CloudFixture.deadline - 1)
        #expect(clock.sleepers == 1)
        clock.advance(nanoseconds: 1)
        await #expect(throws: DocFSError.deadline) { try await reading.value }
        let content = try #require(file.content)
        try await eventually("given up") {
            content.state.withLock { $0.fetches.values.allSatisfy(\.isVoid) }
        }
        // The kernel, which asks again at once for what it maps, does not wait once more.
        await #expect(throws: DocFSError.deadline) {
            try await fixture.read(file, at: 0, length: 10)
        }
        fixture.bodies.change { $0.isHeld = false }
        clock.advance(nanoseconds: 1_000_000_000)
        #expect(try await fixture.readAll(file) == bytes)
        fixture.scope.close(file)
    }

    @Test("Each read has a deadline of its own, and one sleeper sees to all")
    func deadlines() async throws {
        let clock = StillClock()
        let fixture = try CloudFixture(clock: clock)
        for name in ["first", "second", "third"] {
            try fixture.addPlaceholder(name, CloudFixture.bytes(1000))
        }
        fixture.bodies.change { $0.isHeld = true }
        let first = try fixture.open("first")
        let second = try fixture.open("second")
        let third = try fixture.open("third")
        let reading = Task { try await fixture.read(first, at: 0, length: 10) }
        try await eventually("watched") { clock.sleepers == 1 }
        clock.advance(nanoseconds: 1_000_000_000)
        let later = Task { try await fixture.read(second, at: 0, length: 10) }
        let content = try #require(second.content)
        try await eventually("waits") {
            content.state.withLock { !$0.waiters.isEmpty }
        }
        clock.advance(nanoseconds: CloudFixture.deadline - 1_000_000_000)
        await #expect(throws: DocFSError.deadline) { try await reading.value }
        try await eventually("still watched") { clock.sleepers == 1 }
        #expect(content.state.withLock { $0.waiters.count } == 1)
        clock.advance(nanoseconds: 1_000_000_000)
        await #expect(throws: DocFSError.deadline) { try await later.value }
        try await eventually("nobody waits") { clock.sleepers == 0 }
        let last = Task { try await fixture.read(third, at: 0, length: 10) }
        try await eventually("watched again") { clock.sleepers == 1 }
        clock.advance(nanoseconds: CloudFixture.deadline)
        await #expect(throws: DocFSError.deadline) { try await last.value }
        for file in [first, second, third] { fixture.scope.close(file) }
    }

    @Test("Progress puts the deadline off")
    func progress() async throws {
        let clock = StillClock()
        let fixture = try CloudFixture(clock: clock)
        let bytes = CloudFixture.bytes(200_000)
        try fixture.addPlaceholder("doc", bytes)
        fixture.bodies.change {
            $0.isHeld = true
            $0.isHeldHalfway = true
        }
        let file = try fixture.open("doc")
        let reading = Task { try await fixture.read(file, at: 0, length: 10) }
        try await eventually("watched") { clock.sleepers == 1 }
        clock.advance(nanoseconds: CloudFixture.deadline - 1)
        fixture.bodies.change { $0.isHeld = false }
        let content = try #require(file.content)
        try await eventually("half") {
            content.state.withLock { $0.lastProgress } == clock.now()
        }
        clock.advance(nanoseconds: CloudFixture.deadline - 1)
        try await eventually("still watched") { clock.sleepers == 1 }
        fixture.bodies.change { $0.isHeldHalfway = false }
        #expect(try await reading.value == Array(bytes.prefix(10)))
        fixture.scope.close(file)
    }
}
