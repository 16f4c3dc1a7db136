import Testing

@testable import DocFS

@Suite struct LookPauseTests {
    private static let hour: UInt64 = 3_600_000_000_000

    @Test(
        arguments: zip(
            [0, 1, 60, 90, 1_001, 10_080, 1_000_000, UInt64.max] as [UInt64],
            [3_600, 3_600, 3_600, 5_400, 60_060, 604_800, 604_800, 604_800] as [UInt64]))
    func aRequestAMinuteBetweenAnHourAndAWeek(requests: UInt64, seconds: UInt64) {
        let pause = LookPause.nanoseconds(least: Self.hour, requests: requests)
        #expect(pause == seconds * 1_000_000_000)
    }
}
