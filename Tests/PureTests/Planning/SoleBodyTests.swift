internal import Testing

@testable import DocFS

/// S19: what another program takes out of the container is put back by who has it.
struct SoleBodyTests {
    private let digest = Digest(bytes: [UInt8](repeating: 1, count: 32))!
    private let other = Digest(bytes: [UInt8](repeating: 2, count: 32))!

    private func file(_ revision: String, _ digest: Digest?, size: UInt64 = 3) -> ItemContent {
        .file(Body(size: size, digest: digest, revision: Revision(revision)))
    }

    private func isToBePutBack(
        _ body: ItemContent, after: ItemContent?, isKept: Bool = false, keepsBody: Bool = false,
        isMovedOut: Bool = false
    ) -> Bool {
        SoleBody.isToBePutBack(
            body, after: after, isKept: isKept, keepsBody: keepsBody, isMovedOut: isMovedOut)
    }

    @Test func whatIsDeletedIsWhoeverHadWrittenIt() {
        #expect(isToBePutBack(file("1", digest), after: nil))
        #expect(isToBePutBack(file("1", nil), after: nil))
    }

    @Test func whatIsOverwrittenIsWhereADeviceHadSavedIt() {
        for size: UInt64 in [3, 4] {
            #expect(isToBePutBack(file("1", digest), after: file("2", nil, size: size)))
            #expect(!isToBePutBack(file("1", nil), after: file("2", nil, size: size)))
        }
        // The same body with another description.
        #expect(!isToBePutBack(file("1", digest), after: file("1", nil)))
    }

    @Test func whatAnotherDeviceReplacesItKeepsItself() {
        for next in [file("2", digest), file("2", other), file("2", other, size: 4)] {
            #expect(!isToBePutBack(file("1", digest), after: next))
        }
    }

    @Test func whatTheContainerKeepsIsNot() {
        for after in [nil, file("2", nil)] {
            #expect(!isToBePutBack(file("1", digest), after: after, isKept: true))
            #expect(!isToBePutBack(file("1", digest), after: after, keepsBody: true))
            #expect(!isToBePutBack(file("1", digest), after: after, isMovedOut: true))
        }
    }

    @Test func whatHasNoBytesIsNot() {
        let link = ItemContent.symlink(target: [1], revision: Revision("1"))
        for body in [.directory, link, file("1", digest, size: 0)] {
            #expect(!isToBePutBack(body, after: nil))
        }
    }
}
