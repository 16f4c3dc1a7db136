import TestSupport
import Testing

@testable import DocFS

/// What a device asks of a bucket with 100,000 documents: requests and bytes, counted.
@Suite(.serialized) struct ScaleTests {
    private static let documents = 100_000
    private static let second: UInt64 = 1_000_000_000
    private static let poll = 5 * second

    private let clock = StillClock()

    private func shown(_ device: TestDevice) throws -> Int {
        guard try device.isAtRest else { return 0 }
        return try device.catalog.read { (read) throws(DocFSError) in
            try read.counts(scope: device.scope.id).documents
        }
    }

    @Test func aLargeContainerCostsLittle() async throws {
        let vast = VastStore(documents: Self.documents)
        let beginning = VastContainer.beginning
        try await vast.grow(to: beginning, snapshot: beginning, floor: beginning)
        let store = CountingStore(vast)
        let first = try TestDevice("alice", store: store, clock: clock, poll: Self.poll)
        let directories = vast.container.directories
        let pages = 34

        // First sight: the snapshot, not one request for each document, nor for each directory.
        await first.engine.start()
        try await eventually("all is shown") { try shown(first) == Self.documents }
        let attach = store.sofar
        #expect((pages...pages + 9).contains(attach[.get]), "\(attach)")
        #expect(attach[.head] + attach[.put] == 0, "\(attach)")
        #expect(attach.bytesDown < UInt64(Self.documents) * 350, "\(attach.bytesDown)")
        // Then everything is listed once: no entry is new.
        try await eventually("all is listed") { store.sofar[.list] >= directories + 1 }
        try await rest(of: first.engine)
        // The log twice as well: at the start, and with everything.
        #expect((directories + 1...directories + 3).contains(store.take()[.list]))

        // An hour in which nothing happens: one request for each look into the log.
        try await clock.pass(seconds: 3_600)
        let hour = store.take()
        #expect((360...724).contains(hour[.get]), "\(hour)")
        #expect(hour[.list] == 0, "\(hour)")
        // What is old is looked for once a day.
        #expect(hour.total <= hour[.get] + 8, "\(hour)")
        // Everything is listed again after as many minutes as that takes requests.
        try await clock.pass(seconds: UInt64(directories + 1) * 60 - 3_600)
        try await eventually("all is listed again") { store.sofar[.list] > directories + 1 }
        #expect(store.take()[.list] == directories + 2)
        await first.engine.stop()

        // A month in which others edited 10,000 documents, one by one: the snapshot, and the
        // records since.
        try await vast.grow(to: 12_000, snapshot: 11_500, floor: 11_000)
        _ = store.take()
        clock.advance(nanoseconds: 30 * 86_400 * Self.second)
        let second = try first.restarted()
        await second.engine.start()
        let edited = vast.container.path(of: 9_999)
        try await eventually("the last edit is shown") {
            try revision(at: edited, on: second) == vast.revision(of: 9_999)
                && shown(second) == Self.documents
        }
        let month = store.take()
        #expect((pages + 500...pages + 512).contains(month[.get]), "\(month)")
        #expect(month[.head] + month[.put] == 0, "\(month)")
        await second.engine.stop()
    }

    private func revision(at path: ItemPath, on device: TestDevice) throws -> Revision? {
        let scope = device.scope.id
        return try device.catalog.read { (read) throws(DocFSError) in
            guard let item = try read.remoteItem(at: path, scope: scope) else { return nil }
            return try read.state(.base, of: item, scope: scope)?.content.revision
        }
    }
}
