import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// What is pinned is brought here, and what nobody used for long goes when there is too much (S11).
@Suite struct ContentKeeperTests {
    /// Does what it is given when it is told to.
    private final class Later: Workers {
        let jobs = Mutex<[@Sendable () -> Void]>([])

        func submit(after pause: UInt32, _ job: @escaping @Sendable () -> Void) {
            jobs.withLock { $0.append(job) }
        }

        var isIdle: Bool { jobs.withLock(\.isEmpty) }

        func run() {
            let due = jobs.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            for job in due { job() }
        }
    }

    private let fixture: CloudFixture
    private let worker = Later()
    private let sleeper = Later()
    private let clock = StillClock()

    init() throws { fixture = try CloudFixture(clock: clock) }

    private func keeper(limit: UInt64 = 1 << 40) -> ContentKeeper {
        let keeper = ContentKeeper(
            fixture.contents, limit: limit, worker: worker, sleeper: sleeper)
        keeper.start()
        return keeper
    }

    private func pin(_ ino: Int64, _ pin: PinState) throws {
        try fixture.catalog.write { (writer) throws(DocFSError) in
            guard var changed = try writer.read.local(ino) else { throw .notFound }
            changed.pin = pin
            try writer.update(changed)
        }
    }

    private func directory(_ name: Name, in parent: FileNumber) throws -> FileNumber {
        try #require(
            try fixture.scope.makeDirectory(name, in: parent, mode: 0o755, caller: fixture.me)
                .attributes?.number)
    }

    private func isHere(_ row: LocalItem) throws -> Bool {
        try fixture.row(row.ino)?.state == .current
    }

    @Test func whatLiesBelowAPinnedDirectoryIsBroughtAFewAtATime() async throws {
        let top = try directory("top", in: fixture.scope.root)
        let below = try directory("below", in: top)
        let not = try directory("not", in: top)
        let wanted = try (0..<10).map {
            try fixture.addPlaceholder(
                "\($0)", CloudFixture.bytes(1000), in: $0 % 2 == 0 ? top : below)
        }
        let others = [
            try fixture.addPlaceholder("other", CloudFixture.bytes(10)),
            try fixture.addPlaceholder("none", CloudFixture.bytes(10), in: not),
        ]
        try pin(top.row, .pinned)
        try pin(not.row, .unpinned)
        let keeper = keeper()
        worker.run()
        try await eventually("all are here") {
            worker.run()
            return try wanted.allSatisfy(isHere)
        }
        for row in others { #expect(try !isHere(row)) }
        // What comes later is told by an event.
        let late = try fixture.addPlaceholder("late", CloudFixture.bytes(10), in: below)
        keeper.look()
        try await eventually("it is here") {
            worker.run()
            return try isHere(late)
        }
    }

    @Test func whatCannotBeHadIsAskedForAtGrowingDistances() async throws {
        let row = try fixture.addPlaceholder("broken", CloudFixture.bytes(1000))
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        fixture.bodies.change { $0.error = .corrupt("of the store") }
        try pin(row.ino, .pinned)
        let keeper = keeper()
        for _ in 0..<60 {
            keeper.look()
            worker.run()
            try await eventually("it has ended") { !fixture.contents.isComing(row.ino) }
            clock.advance(nanoseconds: 1_000_000_000)
        }
        // At once, and 5, 15 and 35 s later.
        #expect((3...4).contains(fixture.bodies.asked.count), "\(fixture.bodies.asked.count)")
        fixture.bodies.change { $0.error = nil }
        clock.advance(nanoseconds: 60_000_000_000)
        try await eventually("it is here") {
            sleeper.run()
            worker.run()
            return try isHere(row)
        }
    }

    @Test func whatBecameThisDevicesOwnIsFetchedUntilItIsHere() async throws {  // S15
        let row = try fixture.addPlaceholder("own", CloudFixture.bytes(1000))
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        try fixture.catalog.write { (writer) throws(DocFSError) in
            guard var changed = try writer.read.local(row.ino) else { throw .notFound }
            changed.isExcluded = true
            try writer.update(changed)
        }
        fixture.bodies.change { $0.error = .offline("cut off") }
        let keeper = keeper()
        worker.run()
        try await eventually("asked") { !fixture.bodies.asked.isEmpty }
        try await eventually("it has ended") { !fixture.contents.isComing(row.ino) }
        #expect(try !isHere(row))
        fixture.bodies.change { $0.error = nil }
        clock.advance(nanoseconds: 31_000_000_000)
        keeper.look()
        try await eventually("it is here") {
            worker.run()
            return try isHere(row)
        }
    }

    @Test func whatMovesToLocalStaysUntilItHasArrived() async throws {
        let row = try fixture.addPlaceholder("leaving", CloudFixture.bytes(1000))
        _ = try await fixture.readAll("leaving")
        try await eventually("it is here, and closed") {
            try isHere(row) && fixture.contents.openContent(row.ino) == nil
        }
        func setDeparting(_ isDeparting: Bool) throws {
            try fixture.catalog.write { (writer) throws(DocFSError) in
                guard var changed = try writer.read.local(row.ino) else { throw .notFound }
                changed.isDeparting = isDeparting
                try writer.update(changed)
            }
        }
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        try setDeparting(true)
        let keeper = keeper(limit: 10)
        worker.run()
        #expect(try isHere(row))
        try setDeparting(false)
        clock.advance(nanoseconds: 31_000_000_000)
        keeper.look()
        worker.run()
        #expect(try !isHere(row), "it was too much all the time")
    }

    @Test func whatComesAfterNothingWasTooMuchCounts() async throws {
        let pinned = try fixture.addPlaceholder("pinned", CloudFixture.bytes(1000))
        let rows = try ["a", "b", "c"].map {
            try fixture.addPlaceholder($0, CloudFixture.bytes(1000))
        }
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        try pin(pinned.ino, .pinned)
        let keeper = keeper(limit: 2_000)
        worker.run()
        try await eventually("what is pinned is here") { try isHere(pinned) }
        func read(_ row: LocalItem) async throws {
            _ = try await fixture.readAll(row.name.description)
            try await eventually("it is here, and closed") {
                try isHere(row) && fixture.contents.openContent(row.ino) == nil
            }
            keeper.look()
            worker.run()
        }
        try await read(rows[0])
        try await read(rows[1])
        #expect(try rows.map(isHere) == [true, true, false], "what is pinned does not count")
        // The clock stands still: nothing is forgotten meanwhile.
        try await read(rows[2])
        #expect(try rows.map(isHere) == [false, false, true])
    }

    /// A document that is here, and open.
    private func held() async throws -> (LocalItem, OpenFile) {
        let row = try fixture.addPlaceholder("held", CloudFixture.bytes(1000))
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        let file = try fixture.open("held")
        _ = try await fixture.readAll(file)
        try await eventually("it is here") { try isHere(row) }
        // Nobody is told of that later.
        try await eventually("told") {
            fixture.catalog.bulletin.events(from: 0).events.contains { $0.kind == .downloaded }
        }
        return (row, file)
    }

    private func close(_ file: OpenFile, of row: LocalItem) async throws {
        fixture.scope.close(file)
        try await eventually("it is closed") {
            fixture.contents.openContent(row.ino) == nil
        }
    }

    @Test func whatWasInUseGoesOnceItIsClosed() async throws {
        let (row, file) = try await held()
        let keeper = keeper(limit: 10)
        worker.run()
        #expect(try isHere(row), "it is open")
        try await close(file, of: row)
        clock.advance(nanoseconds: 31_000_000_000)
        // Nobody tells it of anything: it finds that it is time to look.
        worker.run()
        #expect(try isHere(row))
        sleeper.run()
        worker.run()
        #expect(try !isHere(row))
        sleeper.run()
        worker.run()
        #expect(sleeper.isIdle, "nothing is left to do")
        withExtendedLifetime(keeper) {}
    }

    @Test func whatWasTooMuchAndWentByOtherHandsIsNotLookedAfterForEver() async throws {
        let (row, file) = try await held()
        let keeper = keeper(limit: 10)
        worker.run()
        #expect(!sleeper.isIdle, "too much is open")
        try await close(file, of: row)
        try fixture.contents.evict(row.ino)
        clock.advance(nanoseconds: 31_000_000_000)
        sleeper.run()
        worker.run()
        #expect(sleeper.isIdle)
        withExtendedLifetime(keeper) {}
    }

    @Test func theLeastRecentlyUsedGoes() async throws {
        let rows = try ["a", "b", "c", "d", "e"].map {
            try fixture.addPlaceholder($0, CloudFixture.bytes(1000, seed: 7))
        }
        for row in rows {
            _ = try await fixture.readAll(row.name.description)
            // Its file is made when its reader has been answered.
            try await eventually("it is here, and closed") {
                try isHere(row) && fixture.contents.openContent(row.ino) == nil
            }
        }
        try pin(rows[1].ino, .pinned)
        // Used again.
        usleep(10_000)
        _ = try await fixture.readAll("a")
        try await eventually("closed") { fixture.contents.openContent(rows[0].ino) == nil }
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = false }
        let keeper = keeper(limit: 3_000)
        worker.run()
        #expect(try rows.allSatisfy(isHere), "nothing goes while it could not come back")
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        clock.advance(nanoseconds: 31_000_000_000)
        keeper.look()
        worker.run()
        #expect(try rows.map(isHere) == [true, true, false, false, true])
        // What is pinned does not count: nothing is too much now.
        clock.advance(nanoseconds: 31_000_000_000)
        keeper.look()
        worker.run()
        #expect(try rows.map(isHere) == [true, true, false, false, true])
    }

    @Test("S19: bodies that another program took out of the container go last")
    func soleBodies() async throws {
        let rows = try ["last", "shown"].map {
            try fixture.addPlaceholder($0, CloudFixture.bytes(1000, seed: 7))
        }
        for row in rows {
            _ = try await fixture.readAll(row.name.description)
            try await eventually("it is here, and closed") {
                try isHere(row) && fixture.contents.openContent(row.ino) == nil
            }
            // The next one is used later.
            usleep(2_000)
        }
        try takeName(of: rows[0], .sole)
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        let keeper = keeper(limit: 1_500)
        worker.run()
        #expect(try rows.map(isHere) == [true, false], "the one used last can be had again")
        withExtendedLifetime(keeper) {}
    }

    private func takeName(of row: LocalItem, _ role: NamelessBody.Role) throws {
        try fixture.catalog.write { (write) throws(DocFSError) in
            guard var changed = try write.read.local(row.ino) else { throw .notFound }
            changed.parent = nil
            try write.update(changed)
            try write.addNamelessBody(
                NamelessBody(ino: row.ino, scope: row.scope, item: row.item, role: role))
        }
    }

    @Test("S9, S11: earlier bodies go first, and newer ones that are on their way never do")
    func namelessBodies() async throws {
        var rows = try ["earlier", "newer", "shown"].map {
            try fixture.addPlaceholder($0, CloudFixture.bytes(1000, seed: 7))
        }
        for row in rows.reversed() {
            _ = try await fixture.readAll(row.name.description)
            try await eventually("it is here, and closed") {
                try isHere(row) && fixture.contents.openContent(row.ino) == nil
            }
            // The next one is used later.
            usleep(2_000)
        }
        let roles: [NamelessBody.Role] = [.earlier, .newer]
        for (row, role) in zip(rows, roles) { try takeName(of: row, role) }
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        let keeper = keeper(limit: 1_500)
        worker.run()
        let earlier = rows.removeFirst()
        let kept = try fixture.catalog.read { (read) throws(DocFSError) in
            try read.namelessBody(at: earlier.ino)
        }
        #expect(kept == nil, "it goes")
        #expect(try rows.allSatisfy(isHere))
        // No program reaches what has no name.
        #expect(throws: DocFSError.stale) {
            try fixture.contents.open(rows[0].ino, forWriting: false)
        }
        withExtendedLifetime(keeper) {}
    }

    @Test("S11: documents of a store that is away do not hold up those of another one")
    func anotherStoreIsAway() async throws {
        // The one that is made first is asked for last.
        let away = try fixture.addPlaceholder("away", CloudFixture.bytes(1000))
        let here = try fixture.addPlaceholder("here", CloudFixture.bytes(1000))
        let scope = fixture.scope.id + 1
        try fixture.catalog.write { (write) throws(DocFSError) in
            guard var changed = try write.read.local(away.ino) else { throw .notFound }
            changed.sourceScope = scope
            changed.pin = .pinned
            try write.update(changed)
        }
        try pin(here.ino, .pinned)
        let bodies = FakeBodies()
        bodies.change { $0.offline = .offline("away") }
        fixture.contents.setSource(bodies, scope: scope)
        fixture.catalog.bulletin.updateHealth(of: fixture.scope.id) { $0.isOnline = true }
        let keeper = keeper()
        worker.run()
        try await eventually("it is here") {
            worker.run()
            return try isHere(here)
        }
        withExtendedLifetime(keeper) {}
    }
}
