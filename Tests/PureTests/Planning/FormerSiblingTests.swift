import Testing

@testable import DocFS

// S14a
@Suite("When a document gets into a conflict again")
struct FormerSiblingTests {
    @Test("Every row of the page about planning holds")
    func table() throws {
        let fates: [FormerSibling.Fate: String] = [
            .stays: "stays", .isAwaited: "is waited for", .isUpdated: "is updated",
        ]
        let rows = try PlanningPage().formerSiblings
        #expect(rows.count >= 11)
        for row in rows {
            var former = FormerSibling(isAsMade: row[0] == "yes", isStored: row[2] == "yes")
            former.isOpened = row[1] == "yes"
            former.isBeingSent = row[2] == "on its way"
            former.hasSameBasis = row[3] == "the same version"
            former.age = try #require(Int64(row[4]))
            #expect(fates[former.fate] == row[5], "\(row)")
        }
    }

    private static let document = ItemID(high: 1, low: 1)
    /// The conflict version.
    private static let stored = ItemState(
        parent: .root, name: "doc (conflict)",
        metadata: Metadata(
            mode: 0o644, modified: Timestamp(seconds: 1, nanoseconds: 0), attributes: []),
        content: .file(Body(size: 3, digest: nil, revision: Revision("1"))),
        conflictOf: ConflictMark(of: document))

    private typealias Change = (inout LocalView, inout ItemState?, inout ItemState?) -> Void

    /// A stored conflict version after `change` of what is here, agreed and stored.
    private static func former(isUntouched: Bool = true, _ change: Change) -> FormerSibling {
        var local = LocalView(
            parent: .root, name: stored.name, metadata: stored.metadata, kind: .file,
            basis: Revision("1"), conflictOf: ConflictMark(of: document))
        var base: ItemState? = stored
        var remote: ItemState? = stored
        change(&local, &base, &remote)
        return FormerSibling(
            local, base: base, remote: remote, of: document, isUntouched: isUntouched)
    }

    @Test("It is as made while nobody has changed anything of it, here or elsewhere")
    func asMade() {
        let digest = Digest(bytes: Array(0..<32))
        // Not stored yet, or known better since.
        let harmless: [Change] = [
            { _, _, _ in },
            { _, base, remote in (base, remote) = (nil, nil) },
            { _, _, remote in
                remote?.content = .file(Body(size: 3, digest: digest, revision: Revision("1")))
            },
        ]
        for (number, change) in harmless.enumerated() {
            #expect(Self.former(change).isAsMade, "\(number)")
        }
        let changes: [Change] = [
            { local, _, _ in local.name = "doc (mine)" },
            { local, _, _ in local.conflictOf = nil },
            { _, _, remote in remote = nil },
            { _, _, remote in remote?.name = "doc (theirs)" },
            { _, _, remote in remote?.parent = ItemID(high: 2, low: 2) },
            { _, _, remote in remote?.conflictOf = nil },
            { _, _, remote in remote?.metadata.mode = 0o600 },
            { _, _, remote in
                remote?.content = .file(Body(size: 3, digest: nil, revision: Revision("2")))
            },
        ]
        for (number, change) in changes.enumerated() {
            #expect(!Self.former(change).isAsMade, "\(number)")
        }
        #expect(!Self.former(isUntouched: false) { _, _, _ in }.isAsMade)
    }

    @Test("Its bytes are kept when it gets others once the store has just them")
    func kept() {
        let isKept = Self.former { _, _, _ in }.isStored
        let isUnknown = !Self.former { _, base, remote in (base, remote) = (nil, nil) }.isStored
        let isEdited = !Self.former { local, _, _ in
            local.bytes = .changed(digest: nil, size: 3)
        }.isStored
        let isOfAnother = !Self.former { local, _, _ in local.basis = Revision("2") }.isStored
        #expect(isKept && isUnknown && isEdited && isOfAnother)
    }
}
