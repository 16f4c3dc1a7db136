import Glibc
import TestSupport

@testable import DocFS

/// Random steps over a few names, the same ones for the same seed (SplitMix64).
struct LocalStepGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func number(below bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    private mutating func path() -> String {
        let names = ["a", "b", "c"]
        return (0...number(below: 3)).map { _ in names[number(below: 3)] }.joined(separator: "/")
    }

    mutating func next() -> LocalStep {
        switch number(below: 17) {
        case 0, 1: .makeDirectory(path())
        case 2, 3: .create(path(), text: String(number(below: 1000)))
        case 4: .create(path(), text: "new", flags: O_EXCL)
        case 5: .symlink(path(), to: "target\(number(below: 10))")
        case 6: .link(path(), as: path())
        case 7: .unlink(path())
        case 8: .removeDirectory(path())
        case 9, 10: .rename(path(), to: path())
        case 11: .rename(path(), to: path(), number(below: 2) == 0 ? .noReplace : .exchange)
        case 12: .status(path())
        case 13: .read(path())
        case 14: .append(path(), "+")
        case 15: .setTime(path(), Timestamp(seconds: Int64(number(below: 1000))))
        default: .setAttribute(path(), "user.k\(number(below: 3))", "v\(number(below: 9))")
        }
    }
}
