import TestSupport

/// What happens in a run, made from its seed; every step stands for itself, so that a failing run
/// can be told with as few of them as possible.
struct Script {
    struct Step {
        /// Milliseconds after the step before.
        let pause: UInt64
        let device: Int
        let action: Action
    }

    enum Action {
        case write(String, String, isSynced: Bool)
        case append(String, String, isSynced: Bool)
        case save(String, String, isSynced: Bool)
        case saveAway(String, String, isSynced: Bool)
        case rename(String, String)
        case remove(String)
        case makeDirectory(String)
        case describe(String, UInt32, String)
        case read(String)
        case evict(String)
        case pin(String)
        case unpin(String)
        case emptyTrash
        /// Destroys the earlier versions of a document.
        case removeVersions(String)
        /// Moves to `Local/NAME`.
        case moveOut(String, String)
        /// Moves `Local/NAME` into the cloud scope.
        case moveIn(String, String)
        case writeLocal(String, String)
        case removeLocal(String)
        case exchange(String, String)
        case truncate(String, Int)
        case link(String, String)
        case open(Int, String)
        case writeThrough(Int, String)
        case close(Int)
        /// Path, and the number of a program that has the document in memory from then on.
        case load(String, Int32)
        /// Path, what is added to what the program has in memory, and its number.
        case merge(String, String, Int32, inPlace: Bool, isSynced: Bool)
        /// The user turns to a conflict version of a document.
        case touchSibling(String, Touch)
        case foreignWrite(String, String)
        case foreignAppend(String, String)
        case foreignRemove(String)
        case foreignRename(String, String)
        /// `cp`, or `cp -a`, which takes along what is kept beside the body.
        case foreignCopy(String, String, isWhole: Bool)
        case cut
        case mend
        /// Dies at the crash point that is so many away.
        case arm(Int)
        case kill
        case restart
        case fillDisk
        case makeRoom
    }

    /// What a user does with a conflict version.
    enum Touch {
        case open
        case append(String)
        case describe
        case remove
        case rename(String)
    }

    var steps: [Step]
    let devices: Int
    /// All steps are about one document, and are held against the model (R2).
    let isModelled: Bool
    /// One request in so many fails; 0 is none.
    let faults: UInt64
    /// For how long the container keeps what was replaced or deleted, in nanoseconds; `nil`: longer
    /// than the run takes.
    let retention: UInt64?
    /// Bytes of documents that a device keeps though the store has them too (S11).
    let cache: UInt64
    /// The store is one of objects, that can neither be moved nor described anew.
    var isOfObjects = false
    /// Programs of both devices work on one document all the time.
    var isAlternating = false
    /// Users turn to conflict versions.
    var touchesSiblings = false

    static let names = ["alice", "bob", "carol", "dave"]
    private static let paths = ["a", "b", "c", "d/a", "d/b", "e/a", "e/b", "d/f/a"]
    private static let localNames = ["x", "y", "z"]
    private static let directories = ["d", "e", "d/f", "e/d"]

    /// Steps that were thought out, on a network that works.
    init(steps: [Step], devices: Int, retention: UInt64? = nil) {
        self.steps = steps
        self.devices = devices
        self.retention = retention
        faults = 0
        cache = .max
        isModelled = false
    }

    /// - Parameter withOthers: other programs do more in the container than write, and users what
    ///   is rarer.
    init(seed: UInt64, devices: Int, count: Int, withOthers: Bool = false) {
        var random = SeededRandom(seed: seed)
        self.devices = devices
        faults = [0, 0, 60, 20, 8].randomElement(using: &random)!
        isModelled = seed % 4 == 0 && !withOthers
        retention = [nil, 30_000_000_000, 60_000_000_000][Int(seed / 12 % 3)]
        // None or all: what was used last is told by the disk, whose clock is no part of a run.
        cache = seed / 36 % 3 == 0 ? 0 : .max
        // Each further step multiplies the ways in which the model can have come to it.
        let count = isModelled ? count * 2 / 3 : count
        // Some runs are all haste, some are leisurely.
        let haste = [40, 300, 1500].randomElement(using: &random)!
        var steps: [Step] = []
        for number in 0..<count {
            let pause =
                random.isOnce(in: 12) ? 4_000 : UInt64.random(in: 0...UInt64(haste), using: &random)
            steps.append(
                Step(
                    pause: pause, device: Int.random(in: 0..<devices, using: &random),
                    action: isModelled
                        ? Self.modelledAction(number, &random)
                        : withOthers && random.isOnce(in: 4)
                            ? Self.rareAction(number, &random)
                            : Self.action(number, &random)))
        }
        self.steps = steps
    }

    private static func text(_ number: Int, _ random: inout SeededRandom) -> String {
        // Now and then two users write the same.
        if random.isOnce(in: 15) { return "the same\n" }
        let padding = random.isOnce(in: 10) ? String(repeating: "more ", count: 1000) : ""
        return "version \(number) \(padding)\n"
    }

    private static func action(_ number: Int, _ random: inout SeededRandom) -> Action {
        let path = paths.randomElement(using: &random)!
        let any = random.isOnce(in: 4) ? directories.randomElement(using: &random)! : path
        let handle = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<12: return .write(path, text(number, &random), isSynced: random.isOnce(in: 2))
        case 12..<18: return Self.moveAcross(any, number, &random)
        case 18..<26: return .append(path, "line \(number)\n", isSynced: random.isOnce(in: 2))
        case 26..<35: return .save(path, text(number, &random), isSynced: !random.isOnce(in: 3))
        case 35..<40: return .saveAway(path, text(number, &random), isSynced: true)
        case 40..<50:
            let other =
                random.isOnce(in: 4)
                ? directories.randomElement(using: &random)! : paths.randomElement(using: &random)!
            return .rename(any, other)
        case 50..<59: return .remove(any)
        case 59..<66: return .makeDirectory(directories.randomElement(using: &random)!)
        case 66..<70:
            return .describe(any, random.isOnce(in: 2) ? 0o600 : 0o640, "word \(number)")
        case 70..<76: return .read(path)
        case 76..<81: return Self.keep(any, &random)
        case 81..<83: return .open(handle, path)
        case 83..<87: return .writeThrough(handle, "held \(number)\n")
        case 87..<89: return .close(handle)
        case 89..<91: return .foreignWrite(path, "foreign \(number)\n")
        case 91..<93: return .cut
        case 93..<95: return .mend
        default: return Self.misfortune(&random)
        }
    }

    /// What other programs do in the container, and users now and then.
    private static func rareAction(_ number: Int, _ random: inout SeededRandom) -> Action {
        let path = paths.randomElement(using: &random)!
        let other = paths.randomElement(using: &random)!
        let directory = directories.randomElement(using: &random)!
        let any = random.isOnce(in: 4) ? directory : path
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<2: return .foreignWrite(path, text(number, &random))
        case 2..<5: return .foreignAppend(path, "foreign line \(number)\n")
        case 5..<8: return .foreignRemove(any)
        case 8..<11: return .foreignRename(any, other)
        case 11..<14: return .foreignCopy(path, other, isWhole: random.isOnce(in: 2))
        case 14..<16: return .exchange(any, random.isOnce(in: 4) ? directory : other)
        case 16..<18: return .truncate(path, Int.random(in: 0..<12, using: &random))
        default: return .link(path, other)
        }
    }

    /// Something about `Local/`.
    private static func moveAcross(_ path: String, _ number: Int, _ random: inout SeededRandom)
        -> Action
    {
        let name = localNames.randomElement(using: &random)!
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: return .moveOut(path, name)
        case 3..<6: return .moveIn(name, path)
        case 6: return .writeLocal(name, text(number, &random))
        default: return .removeLocal(name)
        }
    }

    /// What is kept here, and what is kept at all.
    private static func keep(_ path: String, _ random: inout SeededRandom) -> Action {
        switch Int.random(in: 0..<9, using: &random) {
        case 0..<4: .evict(path)
        case 4..<6: .pin(path)
        case 6: .unpin(path)
        case 7: .removeVersions(path)
        default: .emptyTrash
        }
    }

    private static func misfortune(_ random: inout SeededRandom) -> Action {
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: .arm(Int.random(in: 1...30, using: &random))
        case 3: .kill
        case 4: .fillDisk
        case 5: .makeRoom
        default: .restart
        }
    }

    /// The one document of a modelled run.
    static let document = "a"

    private static func modelledAction(_ number: Int, _ random: inout SeededRandom) -> Action {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<20: .write(document, text(number, &random), isSynced: random.isOnce(in: 2))
        case 20..<32: .append(document, "line \(number)\n", isSynced: random.isOnce(in: 2))
        case 32..<46: .save(document, text(number, &random), isSynced: !random.isOnce(in: 3))
        case 46..<56: .remove(document)
        case 56..<60: .describe(document, random.isOnce(in: 2) ? 0o600 : 0o640, "word \(number)")
        case 60..<71: .read(document)
        case 71..<76: keep(document, &random)
        case 76..<81: .cut
        case 81..<88: .mend
        default: misfortune(&random)
        }
    }
}

extension Script.Action {
    /// What it writes.
    var text: String? {
        switch self {
        case .write(_, let text, _), .append(_, let text, _), .save(_, let text, _),
            .saveAway(_, let text, _), .writeThrough(_, let text), .writeLocal(_, let text):
            text
        case .remove: ""
        default: nil
        }
    }
}

extension Script.Step: CustomStringConvertible {
    var description: String {
        "+\(pause) ms \(Script.names[device]) \(action)".replacingOccurrences("\n", with: "⏎")
    }
}

extension StringProtocol {
    func replacingOccurrences(_ character: Character, with other: String) -> String {
        split(separator: character, omittingEmptySubsequences: false).joined(separator: other)
    }
}
