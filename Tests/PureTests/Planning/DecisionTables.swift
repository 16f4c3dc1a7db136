@testable import DocFS

/// The tables of the page, row by row, in the page's order.
enum DecisionTables {
    static let all: [String: [DecisionRow]] = [
        "Existence": existence, "Bytes": bytes, "Place": place, "Description": description,
        "Agreement": agreement,
    ]

    static let other = ItemID(high: 0, low: 2)
    static let kinds = ItemKind.allCases

    static func here(
        _ kind: ItemKind = .file, _ change: (inout LocalView) -> Void = { _ in }
    ) -> LocalView { DecisionRow.here(kind, change) }

    /// A document whose bytes are nowhere any more.
    static let hollow = here { $0.becomeHollow() }

    static func there(
        _ kind: ItemKind = .file, _ change: (inout ItemState) -> Void = { _ in }
    ) -> ItemState { DecisionRow.there(kind, change) }

    static func base(_ kind: ItemKind = .file) -> ItemState { DecisionRow.base(kind) }

    static func meeting(_ local: LocalView, _ remote: ItemState) -> Situation {
        Situation(local: local, base: base(local.kind), remote: remote)
    }

    // MARK: Place

    private static func moved(_ local: String?, _ remote: String?, itself: Bool = false)
        -> [Situation]
    {
        kinds.map { kind in
            meeting(
                here(kind) {
                    if let local { ($0.parent, $0.name) = (other, Name(local)) }
                    $0.wouldHoldItself = itself
                },
                there(kind) { if let remote { ($0.parent, $0.name) = (other, Name(remote)) } })
        }
    }

    private static let place = [
        DecisionRow("no", "no", of: moved(nil, nil)),
        DecisionRow("yes", "no", of: moved("here", nil) + moved("name", nil)),
        DecisionRow("no", "yes", of: moved(nil, "there") + moved(nil, "name")),
        DecisionRow("yes", "yes, elsewhere", of: moved("here", "there")),
        DecisionRow("yes", "yes, to the same place", of: moved("same", "same")),
        DecisionRow(
            "yes, into a directory that another device moved below it", "no",
            of: moved("here", nil, itself: true)),
    ]

    // MARK: Description

    private static func described(
        _ local: (inout LocalView) -> Void, _ remote: (inout ItemState) -> Void
    ) -> [Situation] {
        kinds.map { meeting(here($0, local), there($0, remote)) }
    }

    private static let description = [
        DecisionRow("no", "no", of: described({ _ in }, { _ in })),
        DecisionRow(
            "yes", "no",
            of: described({ $0.metadata.mode = 0o600 }, { _ in })
                + described({ $0.metadata.modified = Timestamp(seconds: 9) }, { _ in })
                + described({ $0.conflictOf = ConflictMark(of: other) }, { _ in })),
        DecisionRow(
            "no", "yes",
            of: described({ _ in }, { $0.metadata.mode = 0o600 })
                + described({ _ in }, { $0.conflictOf = ConflictMark(of: other) })),
        DecisionRow(
            "yes", "yes, otherwise",
            of: described({ $0.metadata.mode = 0o600 }, { $0.metadata.mode = 0o640 })
                + described(
                    { $0.metadata.mode = 0o600 }, { $0.metadata.modified = Timestamp(seconds: 9) })
                + described(
                    { $0.conflictOf = ConflictMark(of: other) }, { $0.metadata.mode = 0o600 })),
    ]

    // MARK: Agreement

    private static let agreement = [
        DecisionRow("agree", "the same", of: kinds.map { meeting(here($0), there($0)) }),
        DecisionRow(
            "agree", "–", of: kinds.map { Situation(local: here($0), remote: there($0)) }),
        DecisionRow(
            "agree", "differs",
            of: moved("same", "same")
                + described({ $0.metadata.mode = 0o600 }, { $0.metadata.mode = 0o600 })),
        DecisionRow(
            "agree, after equal edits", "any",
            of: [
                meeting(DecisionRow.edited(2), DecisionRow.stored(2)),
                meeting(DecisionRow.relinked(2), DecisionRow.linked(2)),
                Situation(local: DecisionRow.edited(2), remote: DecisionRow.stored(2)),
                Situation(
                    local: DecisionRow.edited(2), base: DecisionRow.stored(2),
                    remote: DecisionRow.stored(2)),
            ]),
    ]
}
