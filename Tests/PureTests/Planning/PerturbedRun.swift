import TestSupport

@testable import DocFS

/// A tree, what happens to it, and planning until nothing moves any more.
///
/// The same seed and list give the same run. A failure prints both as the code of a permanent test.
struct PerturbedRun {
    let seed: UInt64
    let perturbations: [Perturbation]

    /// Draws what happens from the seed.
    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let count = 2 + random.below(14)
        self.init(
            seed: seed,
            (0..<count).map { .draw(number: Self.size + 1 + $0, using: &random) })
    }

    init(seed: UInt64, _ perturbations: [Perturbation]) {
        self.seed = seed
        self.perturbations = perturbations
    }

    /// How many items there are at first.
    private static let size = 12

    /// What went wrong, each in words, and how many rounds there were.
    func outcome() -> (failures: [String], rounds: Int) {
        var random = SeededRandom(seed: ~seed)
        var tree = Self.grow(using: &random)
        for perturbation in perturbations { tree.happen(perturbation) }
        // What is open for writing stays as it is until it is closed (S9, S22).
        let held = tree.local.filter(\.value.view.isHeld)
        var rounds = tree.settle(using: &random)
        for (item, row) in held where tree.isReplaced(row) {
            tree.violations.append("\(item.low) was replaced under its writer")
        }
        for item in tree.local.keys { tree.local[item]?.view.isHeld = false }
        rounds = max(rounds, tree.settle(using: &random))
        if rounds >= PerturbedTree.roundLimit { tree.violations.append("no rest") }
        let isDisturbed = perturbations.contains { if case .plan = $0 { true } else { false } }
        return (tree.violations + tree.faults(isDisturbed: isDisturbed), rounds)
    }

    /// A common past of all three trees: a few directories, then documents and links.
    private static func grow(using random: inout SeededRandom) -> PerturbedTree {
        var tree = PerturbedTree(renewsRevisions: random.below(2) == 0)
        for number in 1...size {
            let kind: ItemKind = number <= 5 ? .directory : number == size ? .symlink : .file
            let parent = random.below(min(number, 6))
            let name = Perturbation.name(&random)
            tree.makeThere(
                PerturbedTree.item(number), PerturbedTree.item(parent), Name(name), kind,
                content: 10 + number)
            tree.plan(PerturbedTree.item(number))
        }
        return tree
    }

    /// The shortest list of perturbations found that fails still.
    func shrunk() -> PerturbedRun {
        var shortest = self
        var position = 0
        while position < shortest.perturbations.count {
            var fewer = shortest.perturbations
            fewer.remove(at: position)
            let run = PerturbedRun(seed: seed, fewer)
            if run.outcome().failures.isEmpty {
                position += 1
            } else {
                shortest = run
                position = 0
            }
        }
        return shortest
    }
}

extension PerturbedRun: CustomStringConvertible {
    /// The code that makes this run again.
    var description: String {
        let list = perturbations.map { "    \($0)," }.joined(separator: "\n")
        return "PerturbedRun(seed: \(seed), [\n\(list)\n])"
    }
}
