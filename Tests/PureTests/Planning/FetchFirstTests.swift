import Testing

@testable import DocFS

/// Which newer bodies are brought before they are shown (S9).
struct FetchFirstTests {
    @Test(
        "S9: those of pinned documents unless never; others up to 64 MiB, while somebody uses them",
        arguments: [
            (FetchFirst.never, true, UInt64(1), 0, false), (.never, false, 1, 0, false),
            (.pinned, true, 1, 0, true), (.pinned, false, 1, 0, false),
            (.pinned, true, 1 << 40, 1000, true),
            (.here, true, 1 << 40, 1000, true), (.here, false, 1, 0, true),
            (.here, false, 64 << 20, 9, true), (.here, false, 64 << 20 + 1, 0, false),
            (.here, false, 1, 10, false),
        ])
    func applies(
        _ choice: FetchFirst, isPinned: Bool, size: UInt64, fetches: Int, isBrought: Bool
    ) {
        let applies = choice.applies(
            isPinned: isPinned, size: size, fetches: fetches, superseded: 2)
        #expect(applies == isBrought)
    }

    @Test(
        "S9: what is saved faster than it travels is not waited for, unless it is pinned",
        arguments: [true, false])
    func superseded(isPinned: Bool) {
        let applies = FetchFirst.here.applies(
            isPinned: isPinned, size: 1, fetches: 0, superseded: 3)
        #expect(applies == isPinned)
    }
}
