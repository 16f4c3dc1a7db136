@testable import DocFS

/// Whether the item exists.
extension DecisionTables {
    static let existence =
        [
            DecisionRow("–", "–", "–", of: [Situation()]),
            DecisionRow("–", "–", "there", of: kinds.map { Situation(remote: there($0)) }),
            DecisionRow("–", "there", "–", of: kinds.map { Situation(base: base($0)) }),
            DecisionRow(
                "–", "there", "same body as base",
                of: kinds.map { Situation(base: base($0), remote: there($0)) } + [
                    Situation(base: base(), remote: there { $0.name = "moved there" }),
                    Situation(base: base(), remote: DecisionRow.stored(1)),
                ]),
            DecisionRow(
                "–", "there", "same, a directory with something in it",
                of: [
                    Situation(
                        base: base(.directory), remote: there(.directory), remoteHasChildren: true)
                ]),
            DecisionRow(
                "–", "there", "another body",
                of: [
                    Situation(base: base(), remote: DecisionRow.stored(2)),
                    Situation(base: base(), remote: DecisionRow.stored(1, isHashed: false)),
                    Situation(base: base(.symlink), remote: DecisionRow.linked(2)),
                    Situation(base: base(.directory), remote: there(.file)),
                ]),
        ] + existenceHere

    private static let existenceHere = [
        DecisionRow(
            "there, scratch", "any", "–",
            of: [nil, base()].map { Situation(local: here { $0.isExcluded = true }, base: $0) }),
        DecisionRow(
            "there, on its way to Local", "any", "there",
            of: [nil, base()].map {
                Situation(local: here { $0.isDeparting = true }, base: $0, remote: there())
            }),
        DecisionRow(
            "there, on its way to Local", "there", "–",
            of: [Situation(local: here { $0.isDeparting = true }, base: base())]),
        DecisionRow(
            "there, on its way to Local", "–", "–",
            of: [Situation(local: here { $0.isDeparting = true })]),
        DecisionRow(
            "there, edited, and what it was made in is lost", "any", "–",
            of: [nil, base()].map {
                var local = DecisionRow.edited(2)
                local.lacksSource = true
                return Situation(local: local, base: $0)
            }),
        DecisionRow(
            "there, nothing of its bytes anywhere", "there", "–",
            of: [Situation(local: hollow, base: base())]),
        DecisionRow(
            "there", "–", "–",
            of: kinds.map { Situation(local: here($0)) } + [Situation(local: hollow)]),
        DecisionRow(
            "there", "there", "–", of: kinds.map { Situation(local: here($0), base: base($0)) }),
        DecisionRow(
            "there, edited", "there", "–",
            of: [
                Situation(local: DecisionRow.edited(2), base: base()),
                Situation(local: DecisionRow.relinked(2), base: base(.symlink)),
            ]),
        DecisionRow(
            "there, a directory with news in it", "there", "–",
            of: [
                Situation(
                    local: here(.directory) { ($0.hasChildren, $0.holdsNews) = (true, true) },
                    base: base(.directory))
            ]),
        DecisionRow(
            "there, held", "there", "–",
            of: [Situation(local: here { $0.isHeld = true }, base: base())]),
        DecisionRow(
            "there, a directory with something in it", "there", "–",
            of: [
                Situation(local: here(.directory) { $0.hasChildren = true }, base: base(.directory))
            ]),
        DecisionRow(
            "there, a directory with nothing but scratch in it", "there", "–",
            of: [
                Situation(
                    local: here(.directory) {
                        ($0.hasChildren, $0.holdsOnlyScratch) = (true, true)
                    }, base: base(.directory))
            ]),
        DecisionRow(
            "there", "any", "there",
            of: kinds.map { Situation(local: here($0), base: base($0), remote: there($0)) }),
    ]
}
