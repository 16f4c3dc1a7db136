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
            case .setAttribute("l", _, _, _), .attribute("l", _):
                // Linux refuses these by itself, before it asks.
                false
            default: true
            }
        }
    }.filter { !$0.contains { if case .status("r") = $0 { true } else { false } } }

    @Test("Every call has the outcome that it has on a bare directory", arguments: stories)
    func story(_ steps: [LocalStep]) throws {
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
    func random(_ seed: UInt64) throws {
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
        func walk(_ path: String) {
            let list = bare.outcome(.list(path))
            if !path.isEmpty {
                #expect(shown.outcome(.status(path)) == bare.outcome(.status(path)), "\(path)")
            }
            for step in [LocalStep.list(path), .readLink(path), .attributeList(path)] {
                if case .attributeList = step, path.isEmpty { continue }
                #expect(shown.outcome(step) == bare.outcome(step), "\(step)")
            }
            guard list == shown.outcome(.list(path)), !list.isEmpty,
                bare.outcome(.status(path)).hasPrefix("4")
            else {
                if bare.outcome(.status(path)).hasPrefix("1006") {
                    #expect(shown.outcome(.read(path)) == bare.outcome(.read(path)), "\(path)")
                }
                return
            }
            for name in list.split(separator: ",") {
                walk(path.isEmpty ? String(name) : path + "/" + name)
            }
        }
        walk("")
    }

    /// Links are counted right, and what the catalog says of contents holds.
    private func expectSound(_ fixture: CloudFixture) throws {
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
