internal import Testing

@testable import DocFS

/// Mode, time and each attribute for itself: what one side changed counts, and the store's where
/// both did.
struct PlanningMergeTests {
    private static let variants: [Metadata] = [0o600, 0o644].flatMap { mode in
        [1, 2].flatMap { seconds in
            [[:], ["a": 1], ["a": 2], ["a": 1, "b": 1]].map { attributes in
                metadata(mode, seconds, attributes)
            }
        }
    }

    private static func metadata(
        _ mode: UInt16, _ seconds: Int64, _ attributes: [String: UInt8] = [:]
    ) -> Metadata {
        Metadata(
            mode: mode, modified: Timestamp(seconds: seconds),
            attributes: attributes.map { ExtendedAttribute(name: $0, value: [$1]) })
    }

    @Test("What only one side changed is taken whole, what both changed alike stays")
    func oneSide() {
        for base in Self.variants {
            for other in Self.variants {
                #expect(Planner.merge(other, base: base, remote: base) == other)
                #expect(Planner.merge(base, base: base, remote: other) == other)
                #expect(Planner.merge(other, base: base, remote: other) == other)
            }
        }
    }

    @Test("Merging again with what came out changes nothing more")
    func again() {
        for base in Self.variants {
            for local in Self.variants {
                for remote in Self.variants {
                    let merged = Planner.merge(local, base: base, remote: remote)
                    #expect(Planner.merge(merged, base: remote, remote: remote) == merged)
                    #expect(Planner.merge(merged, base: base, remote: remote) == merged)
                }
            }
        }
    }

    @Test("Both sides' changes to different things count, the store's to the same thing")
    func bothSides() {
        let base = Self.metadata(0o644, 1, ["a": 1, "b": 1, "c": 1])
        let local = Self.metadata(0o600, 2, ["a": 2, "b": 1, "d": 4])
        let remote = Self.metadata(0o644, 3, ["a": 3, "c": 2, "e": 5])
        // "b" was removed there; "c" was removed here and changed there.
        let merged = Self.metadata(0o600, 3, ["a": 3, "c": 2, "d": 4, "e": 5])
        #expect(Planner.merge(local, base: base, remote: remote) == merged)
    }
}
