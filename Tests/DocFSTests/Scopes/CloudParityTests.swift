import Glibc
import Testing

@testable import DocFS

/// S31: what is done in a cloud scope has the outcome that it has on a bare directory.
@Suite struct CloudParityTests {
    /// Local's stories, without what a cloud scope is not to offer: hard links, set-id bits of
    /// files, attributes outside of `user.`, whose absence is told differently.
    static let stories: [[LocalStep]] = LocalParityTests.stories.map { story in
        story.filter { step in
            switch step {
            case .link, .makeNode("r", _), .setMode(_, 0o4755), .status("r"), .list,
                .setAttribute(_, "nonsense", _, _), .attribute(_, "no.such"),
                .truncate(_, 1 << 62):
                false
            case .setAttribute("l", _, _, _), .attribute("l", _), .symlink(_, ""):
                // Linux refuses these by itself, before it asks.
                false
            default: true
            }
        }
    }.filter { !$0.contains { if case .status("r") = $0 { true } else { false } } }

    @Test("Every call has the outcome that it has on a bare directory", arguments: stories)
    func story(_ steps: [LocalStep]) async throws {
        try await CloudFixture.blocking { try tell(steps) }
    }

    private func tell(_ steps: [LocalStep]) throws {
        let fixture = try CloudFixture()
        let other = try LocalFixture()
        let shown = CloudShownActor(fixture)
        let bare = BareActor(directory: other.path)
        for step in steps where !Self.isBeyond(step, shown) {
            #expect(shown.outcome(step) == bare.outcome(step), "\(step)")
        }
        try expectEqualTrees(shown, bare)
    }

    @Test("Five hundred random calls leave equal trees", arguments: 0..<16 as Range<UInt64>)
    func random(_ seed: UInt64) async throws {
        try await CloudFixture.blocking { try compare(seed) }
    }

    private func compare(_ seed: UInt64) throws {
        let fixture = try CloudFixture()
        let other = try LocalFixture()
        let shown = CloudShownActor(fixture)
        let bare = BareActor(directory: other.path)
        var steps = LocalStepGenerator(seed: seed)
        for count in 0..<500 {
            let step = steps.next()
            if Self.isBeyond(step, shown) { continue }
            let expected = bare.outcome(step)
            let outcome = shown.outcome(step)
            #expect(outcome == expected, "seed \(seed), step \(count): \(step)")
            if outcome != expected { return }
            if count % 50 == 0 { try expectSound(fixture) }
        }
        try expectEqualTrees(shown, bare)
        try expectSound(fixture)
    }

    /// Whether a cloud scope is not to have this outcome.
    private static func isBeyond(_ step: LocalStep, _ shown: CloudShownActor) -> Bool {
        switch step {
        case .link: true
        case .setAttribute(let path, _, _, _):
            // On a symbolic link Linux refuses it by itself.
            shown.outcome(.readLink(path)) != "\(DocFSError.invalidArgument)"
        default: false
        }
    }

    private func expectEqualTrees(_ shown: CloudShownActor, _ bare: BareActor) throws {
        func expectEqual(_ step: LocalStep) {
            #expect(shown.outcome(step) == bare.outcome(step), "\(step)")
        }
        func walk(_ path: String) {
            expectEqual(.list(path))
            for name in bare.outcome(.list(path)).split(separator: ",") {
                let child = path.isEmpty ? String(name) : path + "/" + name
                expectEqual(.status(child))
                expectEqual(.attributeList(child))
                let status = bare.outcome(.status(child))
                if status.hasPrefix("4") { walk(child) }
                if status.hasPrefix("120") { expectEqual(.readLink(child)) }
                if status.hasPrefix("100") { expectEqual(.read(child)) }
            }
        }
        walk("")
    }

    /// Links are counted right, and what the catalog says of contents holds.
    private func expectSound(_ fixture: CloudFixture) throws {
        fixture.contents.recordEverything()
        func walk(_ ino: Int64) throws {
            let children = try fixture.catalog.read { (read) throws(DocFSError) in
                try read.children(of: ino)
            }
            let row = try #require(try fixture.row(ino))
            #expect(row.links == 2 + UInt32(children.filter(\.isDirectory).count))
            for child in children {
                #expect(child.parent == ino && !child.isUnflushed)
                if child.isDirectory {
                    try walk(child.ino)
                } else if child.isFile, child.size > 0 {
                    let status = try Posix.status(path: fixture.contentPath(child))
                    #expect(status.size == child.size)
                }
            }
        }
        try walk(fixture.scope.root.row)
    }
}
