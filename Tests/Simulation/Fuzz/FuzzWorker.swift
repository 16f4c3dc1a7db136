import DocFS
import Glibc

/// Runs cases one after the other, in a process that may die of them: ``Fuzz`` reads what it says,
/// and starts another where cases are left.
struct FuzzWorker {
    /// What a worker says, one line each; the first word tells the kind.
    enum Line: Equatable {
        /// A case begins.
        case begun(seed: UInt64)
        /// What is done in it, for people.
        case did(String)
        /// What is wrong.
        case find(String)
        /// What its devices said, where that is wanted.
        case story(String)
        case over(seed: UInt64)

        var text: String {
            switch self {
            case .begun(let seed): "begun \(seed)"
            case .did(let words): "did \(words)"
            case .find(let words): "find \(words)"
            case .story(let words): "story \(words)"
            case .over(let seed): "over \(seed)"
            }
        }

        init?(_ text: some StringProtocol) {
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            let rest = String(parts[1])
            switch parts[0] {
            case "begun":
                if let seed = UInt64(rest) { self = .begun(seed: seed) } else { return nil }
            case "over": if let seed = UInt64(rest) { self = .over(seed: seed) } else { return nil }
            case "did": self = .did(rest)
            case "find": self = .find(rest)
            case "story": self = .story(rest)
            default: return nil
            }
        }
    }

    let seeds: [UInt64]
    /// The cases are about a store's answers, not about what is in a container.
    let isOfStore: Bool
    let isTold: Bool

    /// Bytes that this process may have; beyond that its requests fail, and Swift ends it.
    private static let memory: rlim_t = 3 << 30

    private let directory = "/dev/shm/docfs-simulate.\(getpid())"

    func run() throws {
        var limit = rlimit(rlim_cur: Self.memory, rlim_max: Self.memory)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
        limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        ProcessorAlarm.install()
        var hasGrown = false
        if isOfStore {
            var bases: [UInt64: StoreFuzzBase] = [:]
            defer { for base in bases.values { base.remove() } }
            // What devices of real time leave behind is not much, but adds up.
            for seed in seeds.prefix(Self.most) where !hasGrown {
                let base = try base(of: seed % StoreFuzzBase.count, &bases, StoreFuzzBase.init)
                hasGrown = run(seed) { alarm in
                    StoreFuzzCase(
                        seed: seed, base: base, directory: directory, alarm: alarm, isTold: isTold
                    ) { Self.say(.did($0)) }
                }
            }
        } else {
            var bases: [UInt64: FuzzBase] = [:]
            defer { for base in bases.values { base.remove() } }
            for seed in seeds where !hasGrown {
                let base = try base(of: seed % FuzzBase.count, &bases, FuzzBase.init)
                hasGrown = run(seed) { alarm in
                    FuzzCase(
                        seed: seed, base: base, directory: directory, alarm: alarm, isTold: isTold)
                }
            }
        }
    }

    /// Cases of ``isOfStore`` that one worker runs.
    private static let most = 60

    private func base<Base>(
        of number: UInt64, _ bases: inout [UInt64: Base],
        _ make: (_ number: UInt64, _ directory: String) throws -> Base
    ) throws -> Base {
        let base = try bases[number] ?? make(number, "\(directory).base-\(number)")
        bases[number] = base
        return base
    }

    /// - Returns: whether it took much memory, which the next case could live on without notice.
    private func run(_ seed: UInt64, _ make: (ProcessorAlarm) -> any FuzzedCase) -> Bool {
        Self.say(.begun(seed: seed))
        let alarm = ProcessorAlarm()
        alarm.set()
        let fuzz = make(alarm)
        for words in fuzz.words { Self.say(.did(words)) }
        fuzz.run()
        alarm.stop()
        for words in fuzz.story { Self.say(.story(words)) }
        for words in fuzz.finds { Self.say(.find(words)) }
        Self.say(.over(seed: seed))
        return fuzz.hasGrown
    }

    private static func say(_ line: Line) {
        let text = line.text.map { $0.isNewline ? "⏎" : String($0) }.joined() + "\n"
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count <= 0 { exit(1) }
            rest = rest.dropFirst(count)
        }
    }
}
