@testable import DocFS

/// The bytes of the item.
extension DecisionTables {
    private static func held(_ local: LocalView) -> LocalView {
        var local = local
        local.isHeld = true
        return local
    }

    private static func lacking(_ local: LocalView) -> LocalView {
        var local = local
        local.lacksSource = true
        return local
    }

    /// A document whose bytes stay until newer ones are here.
    private static func awaiting(_ change: (inout LocalView) -> Void = { _ in }) -> LocalView {
        here {
            $0.newer = .missing
            change(&$0)
        }
    }

    private static func moved(_ state: ItemState) -> ItemState {
        var state = state
        state.name = "other"
        return state
    }

    static let bytes = [
        DecisionRow(
            "unchanged", "the container's revision",
            of: kinds.map { meeting(here($0), there($0)) }),
        DecisionRow(
            "unchanged", "another revision",
            of: [
                meeting(here(), DecisionRow.stored(2)), meeting(here(), DecisionRow.stored(3)),
                meeting(here(), DecisionRow.stored(1, isHashed: false)),
                meeting(here(.symlink), DecisionRow.linked(2)),
                // Here is something earlier than the base.
                meeting(here { $0.basis = Revision("earlier") }, there()),
            ]),
        DecisionRow(
            "unchanged, and the newer ones are to be here first", "another revision",
            of: [
                meeting(awaiting(), DecisionRow.stored(2)),
                meeting(awaiting(), DecisionRow.stored(3)),
            ]),
        DecisionRow(
            "unchanged, the newer ones are to be here first, and described here",
            "another revision",
            of: [
                meeting(awaiting { $0.metadata.mode = 0o600 }, DecisionRow.stored(2)),
                meeting(
                    awaiting {
                        $0.metadata.mode = 0o600
                        $0.name = "other"
                    }, DecisionRow.stored(2)),
            ]),
        DecisionRow(
            "unchanged, the newer ones are to be here first, and moved here", "another revision",
            of: [meeting(awaiting { $0.name = "other" }, DecisionRow.stored(2))]),
        DecisionRow(
            "unchanged, and the newer ones are to be here first", "another revision, moved there",
            of: [
                meeting(awaiting(), moved(DecisionRow.stored(2))),
                meeting(awaiting { $0.parent = Situations.document }, moved(DecisionRow.stored(2))),
            ]),
        DecisionRow(
            "unchanged, and the newer ones are here", "another revision",
            of: [meeting(awaiting { $0.newer = .here }, DecisionRow.stored(2))]),
        DecisionRow(
            "unchanged, held", "another revision",
            of: [
                meeting(held(here()), DecisionRow.stored(2)),
                meeting(held(awaiting()), DecisionRow.stored(2)),
            ]),
        DecisionRow(
            "nowhere any more", "any",
            of: [meeting(hollow, there()), meeting(hollow, DecisionRow.stored(2))]),
        DecisionRow(
            "nowhere any more, held", "any", of: [meeting(held(hollow), there())]),
        DecisionRow(
            "any", "the base's revision, and the container's new one holds the same bytes",
            of: [
                meeting(here(), DecisionRow.stored(1)),
                meeting(DecisionRow.edited(2), DecisionRow.stored(1)),
                meeting(held(here()), DecisionRow.stored(1)),
                meeting(held(DecisionRow.edited(2)), DecisionRow.stored(1)),
            ]),
        DecisionRow(
            "edited", "the container's revision",
            of: [
                meeting(DecisionRow.edited(2), there()),
                meeting(DecisionRow.edited(2, isHashed: false), there()),
                meeting(DecisionRow.relinked(2), there(.symlink)),
            ]),
        DecisionRow(
            "edited, and what it was made in is lost", "any",
            of: [lacking(DecisionRow.edited(2)), lacking(DecisionRow.edited(2, isHashed: false))]
                .flatMap { [meeting($0, there()), meeting($0, DecisionRow.stored(3))] }),
        DecisionRow(
            "edited, and what it was made in is lost, held", "any",
            of: [meeting(held(lacking(DecisionRow.edited(2))), DecisionRow.stored(3))]),
        DecisionRow(
            "edited", "another revision, equal bytes",
            of: [
                meeting(DecisionRow.edited(2), DecisionRow.stored(2)),
                meeting(DecisionRow.relinked(2), DecisionRow.linked(2)),
            ]),
        DecisionRow(
            "edited", "another revision, its size or the base's, digest unknown",
            of: [
                meeting(DecisionRow.edited(2, isHashed: false), DecisionRow.stored(2)),
                meeting(DecisionRow.edited(2), DecisionRow.stored(2, isHashed: false)),
                meeting(DecisionRow.edited(2, isHashed: false), DecisionRow.stored(3)),
            ]),
        DecisionRow(
            "saved again as the base had it", "another revision",
            of: [
                meeting(DecisionRow.edited(1), DecisionRow.stored(2)),
                meeting(DecisionRow.edited(1), DecisionRow.stored(3)),
                meeting(DecisionRow.edited(1), DecisionRow.stored(3, isHashed: false)),
            ]),
        DecisionRow(
            "saved again as the base had it, held", "another revision",
            of: [meeting(held(DecisionRow.edited(1)), DecisionRow.stored(2))]),
        DecisionRow(
            "edited", "another revision, other bytes",
            of: [
                meeting(DecisionRow.edited(2), DecisionRow.stored(3)),
                meeting(DecisionRow.edited(3, isHashed: false), DecisionRow.stored(2)),
                meeting(DecisionRow.edited(2), DecisionRow.stored(4)),
                meeting(DecisionRow.relinked(2), DecisionRow.linked(3)),
                Situation(local: DecisionRow.edited(2), remote: DecisionRow.stored(3)),
            ]),
        DecisionRow(
            "edited, held", "another revision, other bytes",
            of: [meeting(held(DecisionRow.edited(2)), DecisionRow.stored(3))]),
        DecisionRow(
            "of another kind than the container's", "any",
            of: [
                meeting(here(), there(.directory)), meeting(here(.directory), there()),
                meeting(here(.symlink), there()), meeting(DecisionRow.edited(2), there(.symlink)),
            ]),
        DecisionRow(
            "of another kind than the container's, held", "any",
            of: [meeting(held(here()), there(.directory))]),
    ]
}
