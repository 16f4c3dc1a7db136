import ArgumentParser
import DocFS
import Glibc

/// Damaged containers, or servers that cannot be trusted, one after the other, each in front of a
/// device that must live with it.
///
/// The cases run in a process of their own, which may die of them: that is a find as well.
final class Fuzz {
    private let seeds: [UInt64]
    /// Nanoseconds after which no other case begins.
    private let time: UInt64?
    private let arguments: (ArraySlice<UInt64>) -> [String]
    /// What repeats a case, but for its seed.
    private let command: String
    private let isTold: Bool
    private let endsAtFirst: Bool
    private let tell: (Int, Int) -> Void
    private var done = 0
    private var failed = 0

    /// - Parameters:
    ///   - tell: is told how many cases are over, of how many.
    ///   - arguments: what makes this program the worker of some seeds.
    init(
        seeds: [UInt64], seconds: Int?, command: String, isTold: Bool, endsAtFirst: Bool,
        tell: @escaping (Int, Int) -> Void,
        arguments: @escaping (ArraySlice<UInt64>) -> [String]
    ) {
        self.seeds = seeds
        time = seconds.map { UInt64($0) * 1_000_000_000 }
        self.arguments = arguments
        self.command = command
        self.isTold = isTold
        self.endsAtFirst = endsAtFirst
        self.tell = tell
    }

    /// One case as its worker tells it.
    private struct Case {
        let seed: UInt64
        var did: [String] = []
        var story: [String] = []
        var finds: [String] = []
    }

    func run() throws {
        let begun = Posix.bootTime()
        func isOver() -> Bool {
            if endsAtFirst, failed > 0 { return true }
            return time.map { Posix.bootTime() - begun >= $0 } ?? false
        }
        while done < seeds.count, !isOver() {
            let before = done
            let child = try FuzzChild(arguments(seeds[done...]), isTraced: seeds.count == 1)
            try follow(child, isOver: isOver)
            if done == before { throw DocFSError.corrupt("a worker ends before its first case") }
        }
        let seconds = Double(Posix.bootTime() - begun) / 1e9
        print(
            "fuzz: \(done) cases, \(failed) finds, \(Int(seconds)) s, "
                + "\(Int(Double(done) / max(1, seconds) * 60)) cases a minute")
        if failed > 0 { throw ExitCode.failure }
    }

    /// Reads what a worker says, until it has nothing more to say or died.
    private func follow(_ child: FuzzChild, isOver: () -> Bool) throws {
        var current: Case?
        while let line = child.line() {
            switch FuzzWorker.Line(line) {
            case .begun(let seed): current = Case(seed: seed)
            case .did(let words): current?.did.append(words)
            case .story(let words): current?.story.append(words)
            case .find(let words): current?.finds.append(words)
            case .over:
                if let current { conclude(current) }
                current = nil
                if isOver() { return child.kill() }
            case nil: print(line)
            }
        }
        let end = child.end()
        if var died = current {
            died.finds.append(end ?? "its process ends")
            conclude(died)
        } else if let end {
            throw DocFSError.corrupt("a worker is \(end) between two cases")
        }
    }

    private func conclude(_ over: Case) {
        done += 1
        tell(done, seeds.count)
        if isTold || seeds.count == 1 {
            for line in over.did + over.story { print("    \(line)") }
        }
        guard !over.finds.isEmpty else { return }
        failed += 1
        print("seed \(over.seed) fails: \(over.finds.joined(separator: "; "))")
        if !endsAtFirst, !isTold, seeds.count > 1 {
            for line in over.did { print("    \(line.prefix(300))") }
            print("    again: \(command) --seed \(over.seed) --runs 1")
        }
        fflush(nil)
    }
}
