import TestSupport

/// Two devices whose programs work on one document as fast as they can (S14a).
extension Script {
    /// A program that reads the document before each save, one that never does again, and from
    /// there on those that do it once and end.
    static let (merger, dumper, firstOfMany): (Int32, Int32, Int32) = (1, 2, 10)

    /// - Parameter minutes: for so long, in the run's own time.
    init(alternatingFor minutes: UInt64, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        devices = 2
        isModelled = false
        faults = 0
        retention = [nil, 30_000_000_000, 60_000_000_000].randomElement(using: &random)!
        cache = random.isOnce(in: 3) ? 0 : .max
        isAlternating = true
        touchesSiblings = random.isOnce(in: 3)
        steps = [
            Step(pause: 0, device: 0, action: .write(Self.document, "the first;", isSynced: true)),
            // Both have it before they begin.
            Step(pause: 40_000, device: 1, action: .read(Self.document)),
            Step(pause: 1_000, device: 0, action: .read(Self.document)),
        ]
        let haste = [400, 2000, 6000].randomElement(using: &random)!
        let hasDumper = random.isOnce(in: 3)
        let isCut = random.isOnce(in: 3)
        for device in 0..<2 where hasDumper { load(on: device) }
        var device = 0
        var number = 0
        while steps.reduce(0, { $0 + $1.pause }) < minutes * 60_000 {
            number += 1
            if !random.isOnce(in: 10) { device = 1 - device }
            let pause = UInt64.random(in: 0...UInt64(haste), using: &random)
            let dumps = hasDumper && random.isOnce(in: 3)
            addSave(number, on: device, after: pause, dumps: dumps, &random)
            addMisfortune(hasDumper: hasDumper, isCut: isCut, &random)
            if touchesSiblings, random.isOnce(in: 60) { addTouch(number, &random) }
        }
    }

    private mutating func add(_ pause: UInt64, _ device: Int, _ action: Action) {
        steps.append(Step(pause: pause, device: device, action: action))
    }

    private mutating func load(on device: Int) {
        add(500, device, .load(Self.document, Self.dumper))
    }

    private mutating func addSave(
        _ number: Int, on device: Int, after pause: UInt64, dumps: Bool,
        _ random: inout SeededRandom
    ) {
        let isMany = random.isOnce(in: 2)
        let program =
            dumps ? Self.dumper : isMany ? Self.firstOfMany + Int32(number) : Self.merger
        let save = Action.merge(
            Self.document, "\(Self.names[device].prefix(1))\(number);", program,
            inPlace: random.isOnce(in: 2), isSynced: random.isOnce(in: 2))
        if dumps { return add(pause, device, save) }
        add(pause, device, .load(Self.document, program))
        // Some think about what they have read, and some wait until it is here.
        let thought = [1, 1, 100, UInt64.random(in: 0...3_000, using: &random)]
            .randomElement(using: &random)!
        add(thought, device, save)
    }

    private mutating func addMisfortune(
        hasDumper: Bool, isCut: Bool, _ random: inout SeededRandom
    ) {
        let victim = Int.random(in: 0..<2, using: &random)
        switch Int.random(in: 0..<300, using: &random) {
        case 0..<4:
            add(0, victim, .arm(Int.random(in: 1...60, using: &random)))
            add(UInt64.random(in: 0...8_000, using: &random), victim, .kill)
            add(UInt64.random(in: 0...4_000, using: &random), victim, .restart)
            if hasDumper { load(on: victim) }
        case 4..<7: add(0, victim, .evict(Self.document))
        case 7 where isCut:
            add(0, victim, .cut)
            add(UInt64.random(in: 0...20_000, using: &random), victim, .mend)
            if hasDumper { load(on: victim) }
        default: break
        }
    }

    private mutating func addTouch(_ number: Int, _ random: inout SeededRandom) {
        let touch: Touch =
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<2: .open
            case 2..<5: .append("by hand \(number);")
            case 5: .describe
            case 6: .rename("kept \(number)")
            default: .remove
            }
        add(0, Int.random(in: 0..<2, using: &random), .touchSibling(Self.document, touch))
    }
}
