import TestSupport

@testable import DocFS

extension Perturbation {
    /// Draws one perturbation; `number` is the number of whatever it makes.
    static func draw(number: Int, using random: inout SeededRandom) -> Perturbation {
        let side: Side = random.below(2) == 0 ? .here : .there
        // The younger ones too: what was made meanwhile is moved and written as well.
        let item = 1 + random.below(random.below(3) == 0 ? number : 12)
        switch random.below(38) {
        case 0..<4:
            let kind: ItemKind = [.file, .file, .directory, .symlink][random.below(4)]
            return .make(side, number, in: place(&random, number), name: name(&random), kind)
        case 4: return .makeScratch(number, in: place(&random, number))
        case 5..<10: return .write(side, item, content: content(number, &random))
        case 10: return .writeUnhashed(item, content: content(number, &random))
        case 11: return .renew(item)
        case 12:
            let kind: ItemKind = [.file, .directory, .symlink][random.below(3)]
            return random.below(3) == 0 ? .convert(item, kind) : .plan(item)
        case 13..<19:
            return .move(side, item, to: place(&random, number), name: name(&random))
        case 19..<23: return .delete(side, item)
        case 23: return .describe(side, item, mode: [0o600, 0o640, 0o644][random.below(3)])
        case 24: return .touch(side, item, seconds: Int64(random.below(4)))
        case 25: return .mark(side, item, of: 1 + random.below(12))
        case 26: return .open(item)
        case 27: return .writeStale(item, content: content(number, &random))
        case 28: return .exchange(side, item, 1 + random.below(12))
        case 29: return .unnest(side, item)
        case 30: return .wrap(side, item, number)
        case 31: return .supplant(side, 1 + random.below(5), number)
        default: return .plan(item)
        }
    }

    /// A directory among the first items is likely; the root is one.
    static func place(_ random: inout SeededRandom, _ number: Int) -> Int {
        random.below(4) == 0 ? random.below(number) : random.below(6)
    }

    /// Few names, so that they collide.
    static func name(_ random: inout SeededRandom) -> String {
        ["a", "b", "c", "d", "e"][random.below(5)]
    }

    /// Mostly bytes that nobody else has.
    private static func content(_ number: Int, _ random: inout SeededRandom) -> Int {
        random.below(4) == 0 ? 1 + random.below(3) : 100 + number
    }
}

extension SeededRandom {
    /// A number from 0 to below `bound`, without the care that bias would need.
    mutating func below(_ bound: Int) -> Int { Int(next() >> 33) % bound }
}
