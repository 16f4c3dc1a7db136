internal import Testing

@testable import DocFS

/// S19: what another program takes out of the container is put back by who has it.
struct PutBackTests {
    private let digest = Digest(bytes: [UInt8](repeating: 1, count: 32))!
    private let other = Digest(bytes: [UInt8](repeating: 2, count: 32))!

    private func file(_ revision: String, _ digest: Digest?, size: UInt64 = 3) -> ItemContent {
        .file(Body(size: size, digest: digest, revision: Revision(revision)))
    }

    private func isNeeded(
        _ body: ItemContent, after: ItemContent?, isKept: Bool = false, keepsBody: Bool = false,
        isMovedOut: Bool = false
    ) -> Bool {
        PutBack.isNeeded(
            body, after: after, isKept: isKept, keepsBody: keepsBody, isMovedOut: isMovedOut)
    }

    @Test func whatIsDeletedIsWhoeverHadWrittenIt() {
        #expect(isNeeded(file("1", digest), after: nil))
        #expect(isNeeded(file("1", nil), after: nil))
    }

    @Test func whatIsOverwrittenIsWhereADeviceHadSavedIt() {
        for size: UInt64 in [3, 4] {
            #expect(isNeeded(file("1", digest), after: file("2", nil, size: size)))
            #expect(!isNeeded(file("1", nil), after: file("2", nil, size: size)))
        }
        // The same body with another description.
        #expect(!isNeeded(file("1", digest), after: file("1", nil)))
    }

    @Test func whatAnotherDeviceReplacesItKeepsItself() {
        for next in [file("2", digest), file("2", other), file("2", other, size: 4)] {
            #expect(!isNeeded(file("1", digest), after: next))
        }
    }

    @Test func whatTheContainerKeepsIsNot() {
        for after in [nil, file("2", nil)] {
            #expect(!isNeeded(file("1", digest), after: after, isKept: true))
            #expect(!isNeeded(file("1", digest), after: after, keepsBody: true))
            #expect(!isNeeded(file("1", digest), after: after, isMovedOut: true))
        }
    }

    @Test func whatHasNoBytesIsNot() {
        let link = ItemContent.symlink(target: [1], revision: Revision("1"))
        for body in [.directory, link, file("1", digest, size: 0)] {
            #expect(!isNeeded(body, after: nil))
        }
    }

    @Test func theLatestTakesOverWhereItCanBePutBack() {
        #expect(PutBack.takesOver(.current, isEdited: false, isReadOnly: false))
        for state in [ContentState.none, .partial] {
            #expect(!PutBack.takesOver(state, isEdited: false, isReadOnly: false))
        }
        for (isEdited, isReadOnly) in [(true, false), (false, true), (true, true)] {
            #expect(!PutBack.takesOver(.current, isEdited: isEdited, isReadOnly: isReadOnly))
        }
    }

    @Test func whatTheContainerHasAnywhereIsKept() {
        let rows: [(current: Digest?, versions: [Digest?], trash: [Digest?], isKept: Bool)] = [
            (digest, [], [], true),
            (other, [nil, digest], [], true),
            (nil, [other], [nil, digest], true),
            (other, [nil, other], [nil, other], false),
            (nil, [], [], false),
        ]
        for (current, versions, trash, isKept) in rows {
            #expect(
                PutBack.isKept(digest, current: current, versions: versions, trash: trash)
                    == isKept)
        }
    }
}
