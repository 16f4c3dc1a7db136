internal import Testing

@testable import DocFS

/// How far uploads are, and how fast bytes go.
struct TrafficTests {
    private let clock = StillClock()

    private func pass(milliseconds: UInt64) { clock.advance(nanoseconds: milliseconds * 1_000_000) }

    @Test("An upload gets on by what is read for the first time, and ends with its last owner")
    func uploads() {
        let traffic = Traffic(clock: clock)
        #expect(traffic.percent(of: 5) == nil)
        var upload: Traffic.Upload? = traffic.upload(of: 5, scope: 1, size: 1000)
        let other = traffic.upload(of: 6, scope: 2, size: 10)
        #expect(traffic.percent(of: 5) == 0)
        upload?.advanced(to: 400)
        upload?.advanced(to: 100)
        #expect(traffic.percent(of: 5) == 40)
        #expect(traffic.sending(scope: 1).done == 400)
        #expect(traffic.sending(scope: 1).total == 1000)
        // The container has it only when the upload has ended.
        upload?.advanced(to: 1000)
        #expect(traffic.percent(of: 5) == 99)
        upload = nil
        #expect(traffic.percent(of: 5) == nil)
        #expect(traffic.sending(scope: 1).total == 0)
        #expect(traffic.sending(scope: 2).total == 10)
        withExtendedLifetime(other) {}
    }

    @Test("The rate is that of the last five seconds, and 0 when nothing came in them")
    func rates() {
        let traffic = Traffic(clock: clock)
        #expect(traffic.receivingRate(scope: 1) == 0)
        traffic.received(500, scope: 1)
        #expect(traffic.receivingRate(scope: 1) == 500)
        for _ in 0..<100 {
            pass(milliseconds: 100)
            traffic.received(100, scope: 1)
        }
        #expect((900...1100).contains(traffic.receivingRate(scope: 1)))
        #expect(traffic.receivingRate(scope: 2) == 0)
        pass(milliseconds: 2500)
        #expect((400...600).contains(traffic.receivingRate(scope: 1)))
        pass(milliseconds: 2600)
        #expect(traffic.receivingRate(scope: 1) == 0)
    }
}
