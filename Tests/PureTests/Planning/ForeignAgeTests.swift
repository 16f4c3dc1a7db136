import Testing

@testable import DocFS

/// From when on an object that no record explains is another program's.
struct ForeignAgeTests {
    @Test("Two minutes are enough, and nobody knows is not")
    func limit() {
        #expect(!ForeignAge.isSettled(nil))
        #expect(!ForeignAge.isSettled(-5))
        #expect(!ForeignAge.isSettled(119))
        #expect(ForeignAge.isSettled(120))
    }
}
