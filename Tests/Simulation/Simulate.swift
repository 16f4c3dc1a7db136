import ArgumentParser
import DocFS
import Glibc

/// Seeded runs of the real syncing over simulated threads, time, networks and a simulated store.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Shows that no edit is lost, whatever happens when.",
        discussion: """
            Each run is made from its seed alone. A run that fails is told with as few steps as \
            possible, and with the command that repeats it.
            """)

    @Option(help: "The seed of the first run.") var seed: UInt64 = 1
    @Option(help: "How many runs.") var runs: Int = 1000
    @Option(help: "How many devices; 2 to 4. Default: as the seed wants.") var devices: Int?
    @Option(help: "How many steps of users.") var steps: Int = 60
    @Option(help: "Ends after so many minutes.") var minutes: Int?
    @Option(help: "Only every so-manieth seed, for several processes at once.") var stride = 1
    @Option(
        help: ArgumentHelp(
            "Instead: all sequences of at most so many steps, each killed at each crash point.",
            valueName: "steps")) var exhaustively: Int?
    @Option(
        help: ArgumentHelp(
            "Instead: what a container of so many documents costs a device.",
            valueName: "documents")) var scale: Int?
    @Flag(help: "Instead: damaged containers, each in front of a device that must live with it.")
    var fuzz = false
    @Flag(help: "With --fuzz: the answers of an S3 server are damaged, in real time.")
    var store = false
    @Option(help: "Begins no other case of --fuzz after so many seconds.") var seconds: Int?
    @Flag(help: .private) var worker = false
    @Flag(help: "The store is one of objects, which cannot be moved.") var objects = false
    @Flag(help: "Other programs do more in the container than write, and users what is rarer.")
    var others = false
    @Flag(
        help: """
            Two devices save one document all the time, for ten minutes of the run's own.
            """) var alternating = false
    @Flag(help: "Tells the story of each run.") var verbose = false
    @Flag(help: "Prints the trace of each run.") var traces = false
    @Flag(help: "Ends at the first run that fails, and only names it.") var first = false
    @Flag(help: "Says on standard error how far it is.") var progress = false

    func validate() throws {
        if let devices, !(2...4).contains(devices) {
            throw ValidationError("--devices is 2 to 4")
        }
        if let exhaustively, exhaustively < 1 { throw ValidationError("counts begin with 1") }
        if let scale, scale < 20_000 { throw ValidationError("--scale is 20000 or more") }
        if store, !fuzz { throw ValidationError("--store is of --fuzz") }
        if runs < 1 || steps < 1 || stride < 1 { throw ValidationError("counts begin with 1") }
    }

    func run() throws {
        if fuzz, !worker { return try runFuzz() }
        // What is in real time needs the runtime's own threads.
        if !store { SharedPool.install() }
        if fuzz {
            return try FuzzWorker(seeds: seeds, isOfStore: store, isTold: verbose).run()
        }
        if let scale {
            let directory = "/var/tmp/docfs-scale.\(getpid())"
            return try Scale(documents: scale, directory: directory).run()
        }
        if let exhaustively { return try runShort(ShortWorkloads(length: exhaustively)) }
        let begun = Posix.bootTime()
        var failed: [UInt64] = []
        var done = 0
        var excuses = Excuses()
        while done < runs {
            let seed = seed &+ UInt64(done * stride)
            if let minutes, (Posix.bootTime() - begun) / 60_000_000_000 >= minutes { break }
            done += 1
            tell(done, runs)
            let world = simulate(seed, script(seed), isTold: verbose)
            excuses += world.excuses
            if verbose { for line in world.story { print(line) } }
            if traces {
                print("\(seed) \(String(world.trace, radix: 16))")
                fflush(nil)
            }
            if let failure = world.failure {
                failed.append(seed)
                print("seed \(seed) fails: \(failure)")
                if first { break }
                shorten(seed, failure)
                fflush(nil)
                if failed.count >= 10 { break }
            }
        }
        let seconds = Double(Posix.bootTime() - begun) / 1e9
        print(excuses)
        if alternating {
            print("\(excuses.siblings) conflict versions, updated \(excuses.updates) times")
        }
        print(
            "simulate: \(done) runs, \(failed.count) failures, \(Int(seconds)) s, "
                + "\(Int(Double(done) / seconds)) runs a second")
        if alternating, done >= 20, excuses.updates == 0 {
            print("no conflict version was updated: these runs show nothing")
            throw ExitCode.failure
        }
        if !failed.isEmpty { throw ExitCode.failure }
    }

    private var seeds: [UInt64] { (0..<runs).map { seed &+ UInt64($0 * stride) } }

    private func runFuzz() throws {
        let fuzz = Fuzz(
            seeds: seeds, seconds: seconds,
            command: "scripts/fuzz" + (store ? " --store" : ""), isTold: verbose,
            endsAtFirst: first, tell: tell
        ) { [store, stride, verbose] seeds in
            ["--fuzz", "--worker", "--seed", "\(seeds[seeds.startIndex])"]
                + (store ? ["--store"] : [])
                + ["--runs", "\(seeds.count)", "--stride", "\(stride)"]
                + (verbose ? ["--verbose"] : [])
        }
        try fuzz.run()
    }

    /// Every `stride`-th of the short workloads.
    private func runShort(_ workloads: ShortWorkloads) throws {
        let begun = Posix.bootTime()
        let scripts = workloads.sequences
        // Of another seed: no identifier may be drawn twice.
        let first = World(
            seed: ~seed, script: ShortWorkloads.beginning, directory: directory, isTold: false)
        first.run()
        if let failure = first.failure { throw ValidationError("the beginning: \(failure)") }
        let remains = first.remains(in: directory + ".beginning")
        first.tidy()
        defer { removeTree(remains.directory) }
        var runs = 0
        var failures = 0
        for index in Swift.stride(from: Int(seed) % stride, to: scripts.count, by: stride) {
            var point = 0
            var isOver = false
            while !isOver {
                point += 1
                let script = ShortWorkloads.killed(scripts[index], at: point)
                let world = World(
                    seed: seed, script: script, beginning: remains, directory: directory,
                    isTold: false)
                world.run()
                isOver = !world.hasKilled
                tell(index / stride, scripts.count / stride)
                world.tidy()
                runs += 1
                if let failure = world.failure {
                    failures += 1
                    print("sequence \(index), killed at crash point \(point): \(failure)")
                    for step in script.steps { print("    \(step)") }
                    fflush(nil)
                    if failures >= 10 { isOver = true }
                }
            }
            if failures >= 10 { break }
        }
        let seconds = Double(Posix.bootTime() - begun) / 1e9
        print(
            "simulate: \(runs) runs, \(failures) failures, \(Int(seconds)) s, "
                + "\(Int(Double(runs) / seconds)) runs a second")
        if failures > 0 { throw ExitCode.failure }
    }

    private func tell(_ count: Int, _ all: Int) {
        guard progress, count % 20 == 0 || count == all else { return }
        let words = count == all ? "" : "\(count * stride) of \(all * stride)"
        let line = "\r\(words)\u{1B}[K"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    private var directory: String { "/dev/shm/docfs-simulate.\(getpid())" }

    private func script(_ seed: UInt64) -> Script {
        var script =
            alternating
            ? Script(alternatingFor: 10, seed: seed)
            : Script(
                seed: seed, devices: devices ?? Int(seed % 3 == 0 ? 3 : 2), count: steps,
                withOthers: others)
        script.isOfObjects = objects
        return script
    }

    private func simulate(_ seed: UInt64, _ script: Script, isTold: Bool) -> World {
        let world = World(
            seed: seed, script: script, directory: directory, isTold: isTold)
        world.run()
        world.tidy()
        return world
    }

    /// Tells a failing run with as few steps as possible.
    private func shorten(_ seed: UInt64, _ failure: String) {
        fflush(nil)
        var script = script(seed)
        var size = max(1, script.steps.count / 2)
        let kind = failure.prefix(3)
        while true {
            var first = 0
            var isSmaller = false
            while first < script.steps.count {
                var shorter = script
                shorter.steps.removeSubrange(first..<min(first + size, script.steps.count))
                if simulate(seed, shorter, isTold: false).failure?.prefix(3) == kind {
                    script = shorter
                    isSmaller = true
                } else {
                    first += size
                }
            }
            if size == 1 && !isSmaller { break }
            size = max(1, size / 2)
        }
        let world = simulate(seed, script, isTold: true)
        print(
            "with \(script.steps.count) steps (devices: \(script.devices)): \(world.failure ?? "")")
        for line in world.story { print("    \(line)") }
        let options =
            (objects ? " --objects" : "") + (others ? " --others" : "")
            + (alternating ? " --alternating" : "")
        print("again: scripts/simulate --seed \(seed) --runs 1 --steps \(steps)\(options)")
    }
}
