/// What a hostile writer puts in the place of a value, drawn from a seed.
package struct HostileValues: Sendable {
    package var random: SeededRandom
    /// Identities that the container knows, as text.
    private let identities: [String]
    /// Paths that the container knows.
    private let paths: [String]
    private let revisions: [String]

    package init(
        seed: UInt64, identities: [String], paths: [String], revisions: [String]
    ) {
        random = SeededRandom(seed: seed)
        self.identities = identities
        self.paths = paths
        self.revisions = revisions
    }

    /// A number below `count`, which is not 0.
    package mutating func index(below count: Int) -> Int {
        Int(random.next() % UInt64(max(1, count)))
    }

    package mutating func isOnce(in count: UInt64) -> Bool { random.isOnce(in: count) }

    package mutating func pick<Value>(_ values: [Value]) -> Value {
        values[index(below: values.count)]
    }

    /// The identity of every root.
    package static let root = String(repeating: "0", count: 32)

    // MARK: By what is told

    /// The ends of what integers hold, and what lies just outside.
    private static let numbers = [
        "0", "1", "-1", "2", "511", "65535", "65536", "-2147483649", "2147483648", "4294967296",
        "9007199254740993", "4611686018427387904", "9223372036854775806", "9223372036854775807",
        "9223372036854775808", "18446744073709551614", "18446744073709551615",
        "18446744073709551616", "-9223372036854775808", "-9223372036854775807",
        "-9223372036854775809", "-62135596801", "253402300800", "67768036191676799",
    ]
    private static let noIntegers = ["1e400", "-1e400", "1.5", "1e3", "-0", "0x10", "NaN"]

    package mutating func number() -> JSONTree {
        .literal(pick(isOnce(in: 8) ? Self.noIntegers : Self.numbers))
    }

    private static let names = [
        "", ".", "..", "/", "%2F", "a/b", "%00", "a%00b", "%2e%2e", ".docfs", "%2edocfs", ".DOCFS",
        "%", "%4", "%zz", "%FF%FE", "\\n", "\\u001b]0;x\\u0007", "\\u202Egpj", "\\ud800", "%25",
        "con", " ", "a", "d", "a (conflict)", ".a.saving", "a~",
        "\\u0061\\u0301", String(repeating: "n", count: 255), String(repeating: "n", count: 256),
        String(repeating: "%6e", count: 256), String(repeating: "e\\u0301", count: 100),
    ]

    /// A name as the files of a container spell it.
    package mutating func name() -> String { pick(Self.names) }

    private static let places = [
        "", "/", ".", "..", "../x", "a/../../x", ".docfs", ".docfs/container.json",
        ".docfs/floor.json", ".docfs/log", ".docfs/log/0000000000000001.json", ".docfs/versions",
        ".docfs/trash", ".docfs/trash/x", ".docfs/trash/1/2/3", ".docfs/versions/../../a",
        ".docfs/tmp/probe-x", ".docfs/snapshots", "%00", "a", "d", "d/f", "//a//b",
        ".docfs/trash/directories/00000000000000000000000000000001/d",
        String(repeating: "d/", count: 1000), String(repeating: "n", count: 300),
    ]

    package mutating func path() -> String {
        isOnce(in: 3) && !paths.isEmpty ? pick(paths) : pick(Self.places)
    }

    /// An identity: the root's, one that is taken, a new one, or none.
    package mutating func identity() -> String {
        switch index(below: 20) {
        case 0..<5: Self.root
        case 5..<14 where !identities.isEmpty: pick(identities)
        case 14..<18: newIdentity()
        default:
            pick(["", "0", String(repeating: "F", count: 32), String(repeating: "f", count: 33)])
        }
    }

    package mutating func newIdentity() -> String {
        // Greater or less than all others, as their order counts in snapshots.
        let first = pick(["0000000000", "ffffffffff", "7777777777"])
        let digits = String(random.next(), radix: 16)
        return first + String(repeating: "0", count: 22 - digits.count) + digits
    }

    package mutating func revision() -> String {
        isOnce(in: 3) || revisions.isEmpty
            ? pick(["", "r1", "r999", "..", "\\u0000", String(repeating: "r", count: 70_000)])
            : pick(revisions)
    }

    private static let bases = [
        "", "AA==", "=", "!!!", "Li4v", String(repeating: "QUFB", count: 2_000),
    ]

    private mutating func attributes() -> JSONTree {
        let count = pick([1, 2, 3_000])
        let value = pick(Self.bases)
        return .object(
            (0..<count).map { JSONTree.Member("user.\($0)", .string(value)) }
                + [
                    JSONTree.Member("user.docfs.pin", .string("AA==")),
                    JSONTree.Member("security.capability", .string("AA==")),
                    JSONTree.Member("user." + name(), .string("AA==")),
                ])
    }

    // MARK: By where it stands

    /// What is to stand where `place` says, of the kind that belongs there.
    ///
    /// - Parameter place: the way to the value, as ``JSONTree/change(_:at:_:)`` tells it.
    package mutating func value(at place: String, instead of: JSONTree) -> JSONTree {
        let last = place.split(separator: ".").last.map(String.init) ?? place
        let key = last.prefix { $0 != "[" }
        switch key {
        case "size", "time", "mode", "v", "layout", "floor", "record", "mtime", "collections":
            if case .array = of { return .array([number(), number()]) }
            return number()
        case "name": return .string(name())
        case "kept", "object", "place", "path", "directory", "collected": return .string(path())
        case "item", "op", "parent", "device", "conflictOf", "id": return .string(identity())
        case "kind": return .string(pick(["file", "directory", "symlink", "fifo", ""]))
        case "rev", "conflictBase": return .string(revision())
        case "sha256", "pages":
            return .string(
                pick([
                    "", "00", String(repeating: "0", count: 64), String(repeating: "g", count: 64),
                ]))
        case "target": return .string(pick(Self.bases))
        case "xattrs": return attributes()
        default: return any()
        }
    }

    /// Anything at all.
    package mutating func any() -> JSONTree {
        switch index(below: 8) {
        case 0: .literal("null")
        case 1: .literal(pick(["true", "false"]))
        case 2: .object([])
        case 3: .array([])
        case 4: .string(name())
        case 5: .literal(String(repeating: "[", count: pick([1, 600, 100_000])))
        case 6: .array(Array(repeating: .literal("1"), count: pick([1, 5_000])))
        default: number()
        }
    }
}
