import Testing

@testable import DocFS

// S9
@Suite("Documents that are open while others save them")
struct OutdatedTests {
    private static let metadata = Metadata(
        mode: 0o644, modified: Timestamp(seconds: 1, nanoseconds: 0), attributes: [])

    private static func state(_ revision: String, _ digit: UInt8) -> ItemState {
        let digest = Digest(bytes: [UInt8](repeating: digit, count: 32))
        return ItemState(
            parent: .root, name: "doc", metadata: metadata,
            content: .file(Body(size: 3, digest: digest, revision: Revision(revision))))
    }

    private typealias Change = (inout LocalView, inout ItemState?, inout ItemState?) -> Void

    /// Of a document that is open for writing, whose basis is 1, after `change`.
    private static func isOutdated(isOldBasis: Bool = false, _ change: Change) -> Bool {
        var local = LocalView(
            parent: .root, name: "doc", metadata: metadata, kind: .file, basis: Revision("1"),
            isHeld: true)
        var base: ItemState? = state("1", 1)
        var remote: ItemState? = state("2", 2)
        change(&local, &base, &remote)
        let step = Planner.step(local: local, base: base, remote: remote)
        return Planner.isOutdated(
            step, local: local, base: base, remote: remote, isOldBasis: isOldBasis)
    }

    @Test("Another device's version waits for the close, edited here or not")
    func outdated() {
        let edited = LocalView.Bytes.changed(digest: nil, size: 9)
        #expect(Self.isOutdated { _, _, _ in })
        #expect(Self.isOutdated { local, _, _ in local.bytes = edited })
        #expect(Self.isOutdated(isOldBasis: true) { _, base, _ in base = Self.state("2", 2) })
    }

    @Test("Nobody is warned of what is no newer version, or does not wait")
    func current() {
        let changes: [Change] = [
            { _, _, remote in remote = Self.state("1", 1) },
            { _, _, remote in remote = nil },
            { _, _, remote in remote?.content = .directory },
            { local, _, _ in local.isHeld = false },
            { local, _, _ in local.isExcluded = true },
            { local, _, _ in local.isDeparting = true },
            // The same bytes under another revision, and the same edit on both sides.
            { _, _, remote in remote = Self.state("2", 1) },
            { local, _, _ in
                let digest = Digest(bytes: [UInt8](repeating: 2, count: 32))
                local.bytes = .changed(digest: digest, size: 3)
            },
            { local, _, _ in local.bytes = .changed(digest: nil, size: 3) },
            // Read ahead of what any record tells.
            { local, _, remote in
                local.bytes = .changed(digest: nil, size: 9)
                (local.basis, remote) = (Revision("3"), Self.state("1", 1))
            },
        ]
        for (number, change) in changes.enumerated() {
            #expect(!Self.isOutdated(change), "\(number)")
        }
    }
}
