import TestSupport
internal import Testing

@testable import DocFS

/// What perturbed trees have taught: told by hand, with the outcome that is right.
struct PlanningStoryTests {
    /// The paths of the store and the bytes there, after the story and rest; 0 for a directory.
    private func outcome(
        renewsRevisions: Bool = false, _ story: [Perturbation],
        at location: SourceLocation = #_sourceLocation
    ) -> [String: Int] {
        var tree = PerturbedTree(renewsRevisions: renewsRevisions)
        var random = SeededRandom(seed: 1)
        for perturbation in story { tree.happen(perturbation) }
        let rounds = tree.settle(using: &random)
        #expect(rounds < PerturbedTree.roundLimit, sourceLocation: location)
        #expect(tree.violations == [], sourceLocation: location)
        #expect(tree.faults(isDisturbed: false) == [], sourceLocation: location)
        return tree.pathsInStore
    }

    /// A directory and a document that both sides know.
    private static let known: [Perturbation] = [
        .make(.there, 1, in: 0, name: "d", .directory), .plan(1),
        .make(.there, 11, in: 1, name: "doc", .file), .plan(11),
    ]

    @Test("Equal edits do not undo the other device's rename (S16)")
    func equalEditsAndRename() {
        let story: [Perturbation] = [
            .write(.here, 11, content: 50), .write(.there, 11, content: 50),
            .move(.there, 11, to: 0, name: "renamed"),
        ]
        #expect(outcome(Self.known + story) == ["d": 0, "renamed": 50])
    }

    @Test("Equal edits do not undo the other device's description (S16)")
    func equalEditsAndDescription() {
        var tree = PerturbedTree(renewsRevisions: false)
        var random = SeededRandom(seed: 1)
        let story: [Perturbation] = [
            .write(.here, 11, content: 50), .write(.there, 11, content: 50),
            .touch(.here, 11, seconds: 5), .touch(.there, 11, seconds: 6),
        ]
        for perturbation in Self.known + story { tree.happen(perturbation) }
        tree.settle(using: &random)
        #expect(tree.remote[PerturbedTree.item(11)]?.metadata.modified.seconds == 6)
    }

    @Test("A delete after a rename counts where the store gives a new revision (S19)")
    func deleteAfterRename() {
        let story: [Perturbation] = [
            .move(.here, 11, to: 0, name: "renamed"), .plan(11), .delete(.here, 11),
        ]
        #expect(outcome(renewsRevisions: true, Self.known + story) == ["d": 0])
    }

    @Test("A delete counts although the store gave the same bytes a new revision (S19)")
    func deleteOfRenewed() {
        let story: [Perturbation] = [.renew(11), .delete(.here, 11)]
        #expect(outcome(Self.known + story) == ["d": 0])
    }

    @Test("What was moved into a directory keeps it from a delete (S21)", arguments: [1, 2])
    func movedIntoDeleted(_ order: Int) {
        let acts: [Perturbation] = [
            .move(.here, 12, to: 2, name: "in"), .delete(.there, 2),
        ]
        let story: [Perturbation] = [
            .make(.there, 2, in: 0, name: "e", .directory), .plan(2),
            .make(.there, 12, in: 0, name: "out", .file), .plan(12),
        ]
        #expect(
            outcome(story + (order == 1 ? acts : acts.reversed())) == ["e": 0, "e/in": 12])
    }

    @Test("A document goes into a new directory of its own name")
    func wrap() {
        #expect(
            outcome(Self.known + [.wrap(.here, 11, 2)]) == ["d": 0, "d/doc": 0, "d/doc/doc": 11])
    }

    @Test("A directory makes way for what was in it")
    func unnest() {
        #expect(outcome(Self.known + [.unnest(.here, 11)]) == ["d": 11])
    }

    @Test("A new directory takes the place of one and all that was in it")
    func supplant() {
        #expect(outcome(Self.known + [.supplant(.here, 1, 2)]) == ["d": 0, "d/doc": 11])
    }

    @Test("Two documents change places")
    func exchange() {
        let story: [Perturbation] = [
            .make(.there, 12, in: 0, name: "other", .file), .plan(12), .exchange(.here, 11, 12),
        ]
        #expect(outcome(Self.known + story) == ["d": 0, "d/doc": 12, "other": 11])
    }

    // S9
    @Test("A sibling that stands in for an open document rests")
    func standIn() {
        for base in [nil, DecisionRow.stored(1)] {
            for remote in [nil, DecisionRow.stored(1), DecisionRow.stored(2)] {
                let step = Planner.step(local: nil, base: base, remote: remote, standsIn: true)
                #expect(step == .rest)
            }
        }
    }

    @Test(
        "Runs that failed once",
        arguments: [
            PerturbedRun(seed: 158, [.move(.here, 6, to: 2, name: "a"), .delete(.there, 2)]),
            PerturbedRun(
                seed: 30006, [.move(.here, 2, to: 5, name: "b"), .delete(.there, 3)]),
            PerturbedRun(
                seed: 65036,
                [
                    .move(.here, 5, to: 3, name: "b"), .move(.there, 1, to: 3, name: "b"),
                    .delete(.here, 1),
                ]),
            PerturbedRun(seed: 10006, [.supplant(.here, 1, 16)]),
            PerturbedRun(seed: 411, [.exchange(.here, 7, 6), .plan(7), .delete(.here, 7)]),
            PerturbedRun(seed: 4149, [.unnest(.here, 11), .plan(11), .delete(.here, 2)]),
            PerturbedRun(
                seed: 2_494_008,
                [
                    .wrap(.there, 2, 13), .make(.here, 16, in: 2, name: "d", .directory),
                    .convert(2, .file), .plan(16), .plan(2), .supplant(.here, 2, 27),
                ]),
        ])
    func failedOnce(_ run: PerturbedRun) { #expect(run.outcome().failures == []) }
}

extension PerturbedTree {
    /// Every path of the store and the bytes there.
    fileprivate var pathsInStore: [String: Int] {
        var paths: [String: Int] = [:]
        for (item, state) in remote {
            var names: [String] = []
            var next = item
            while let state = remote[next] {
                names.insert(state.name.description, at: 0)
                next = state.parent
            }
            paths[names.joined(separator: "/")] = bytes(of: state)
        }
        return paths
    }
}
