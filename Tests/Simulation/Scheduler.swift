import DocFS
import Glibc
import SimulatedDisk
import Synchronization
import TestSupport

/// Runs all that a simulated run consists of on one thread, in an order that its seed chooses, and
/// lets time pass only when nothing else is left to do.
///
/// Jobs of one lane keep their order, as those of one thread do. Nothing here may be called from
/// another thread than the one that made it: a thread that the simulation does not know of would
/// be a choice that no seed made.
final class Scheduler: @unchecked Sendable {
    /// Jobs that keep their order among themselves.
    struct Lane: Hashable { let number: Int }

    private struct Entry {
        /// `nil` keeps no order.
        let lane: Lane?
        /// The process of a device that the job belongs to.
        let owner: Process?
        let run: () -> Void
    }

    private struct Timer {
        let moment: UInt64
        let number: UInt64
        let fire: () -> Void
    }

    private var ready: [Entry] = []
    private var timers: [Timer] = []
    private var random: SeededRandom
    private var nextNumber: UInt64 = 0
    private var nextLane = 0
    private let thread = pthread_self()
    /// Nanoseconds since the start of the run.
    private(set) var now: UInt64 = 0
    /// Something goes round and round without letting time pass; nothing runs any more.
    private(set) var isSpinning = false
    /// The most jobs at one moment.
    private static let haste = 20_000
    /// Whose job runs.
    var current: Process? { didSet { lookAtDisk() } }

    /// What the process whose job runs finds when it changes its disk.
    func lookAtDisk() {
        simulated_disk_set_full(current?.isDiskFull == true ? 1 : 0)
        simulated_disk_set_away(current?.isDead == true ? 1 : 0)
    }

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func makeLane() -> Lane {
        nextLane += 1
        return Lane(number: nextLane)
    }

    func submit(_ lane: Lane?, of owner: Process?, _ run: @escaping () -> Void) {
        checkThread()
        ready.append(Entry(lane: lane, owner: owner, run: run))
    }

    /// Calls `fire` at `moment`; the number cancels that.
    @discardableResult
    func wake(at moment: UInt64, _ fire: @escaping () -> Void) -> UInt64 {
        checkThread()
        nextNumber += 1
        let timer = Timer(moment: max(moment, now), number: nextNumber, fire: fire)
        var index = timers.count
        while index > 0, timers[index - 1].moment > timer.moment { index -= 1 }
        timers.insert(timer, at: index)
        return nextNumber
    }

    /// Lets a timer fire at once, if it has not yet.
    func hurry(_ number: UInt64) {
        checkThread()
        guard let index = timers.firstIndex(where: { $0.number == number }) else { return }
        timers.remove(at: index).fire()
    }

    /// Does everything that is due before `moment`, and lets time pass until then.
    func run(until moment: UInt64) {
        while true {
            var count = 0
            while !ready.isEmpty, !isSpinning {
                runOne()
                count += 1
                isSpinning = count > Self.haste
            }
            guard let next = timers.first, next.moment <= moment else { break }
            timers.removeFirst()
            now = next.moment
            next.fire()
        }
        now = max(now, moment)
    }

    /// Lets what is left come to its end.
    func calmDown() { isSpinning = false }

    private func runOne() {
        var index = Int.random(in: ready.indices, using: &random)
        if let lane = ready[index].lane {
            index = ready.firstIndex { $0.lane == lane } ?? index
        }
        let entry = ready.remove(at: index)
        current = entry.owner
        entry.run()
        current = nil
    }

    private func checkThread() {
        precondition(
            pthread_equal(thread, pthread_self()) != 0, "a thread that the simulation does not know"
        )
    }
}

/// Time of a run as one device has it.
final class SimulatedClock: SyncClock, @unchecked Sendable {
    private let scheduler: Scheduler
    /// How wrong the wall clock is, in seconds.
    private let skew: Int64

    init(_ scheduler: Scheduler, skew: Int64) {
        self.scheduler = scheduler
        self.skew = skew
    }

    func now() -> UInt64 { scheduler.now + 1_000_000_000 }

    func wallTime() -> Timestamp {
        let now = scheduler.now
        return Timestamp(
            seconds: 1_700_000_000 + skew + Int64(now / 1_000_000_000),
            nanoseconds: UInt32(now % 1_000_000_000))
    }

    func sleep(nanoseconds: UInt64) async {
        let nap = Nap()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume() }
                nap.number = scheduler.wake(at: scheduler.now + nanoseconds) {
                    nap.number = nil
                    continuation.resume()
                }
            }
        } onCancel: {
            if let number = nap.number { scheduler.hurry(number) }
        }
    }

    private final class Nap: @unchecked Sendable {
        var number: UInt64?
    }
}

/// The thread of an engine.
final class SimulatedExecutor: ActorExecutor, @unchecked Sendable {
    private let scheduler: Scheduler
    private let lane: Scheduler.Lane
    private let owner: Process

    init(_ scheduler: Scheduler, owner: Process) {
        self.scheduler = scheduler
        self.owner = owner
        lane = scheduler.makeLane()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        scheduler.submit(lane, of: owner) { [self] in
            job.runSynchronously(on: asUnownedSerialExecutor())
        }
    }

    func stop() {}

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}

/// The threads of a pool.
final class SimulatedWorkers: Workers, @unchecked Sendable {
    private let scheduler: Scheduler
    private let lane: Scheduler.Lane?
    private let owner: Process

    init(_ scheduler: Scheduler, owner: Process, limit: Int) {
        self.scheduler = scheduler
        self.owner = owner
        lane = limit == 1 ? scheduler.makeLane() : nil
    }

    func submit(after pause: UInt32, _ job: @escaping @Sendable () -> Void) {
        guard pause > 0 else { return scheduler.submit(lane, of: owner, job) }
        scheduler.wake(at: scheduler.now + UInt64(pause) * 1000) { [self] in
            scheduler.submit(lane, of: owner, job)
        }
    }
}

/// Tasks that belong to no actor run where the scheduler says, not on the runtime's own threads.
final class SharedPool: TaskExecutor, @unchecked Sendable {
    static let shared = SharedPool()
    var scheduler: Scheduler?

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    /// Takes the place of the runtime's pool, for good.
    ///
    /// The hook is the runtime's own, for programs that bring their own executor
    /// (swift/Runtime/Concurrency.h, `swift_task_enqueueGlobal_hook`).
    static func install() {
        typealias Original = @convention(thin) (UnownedJob) -> Void
        typealias Hook = @convention(thin) (UnownedJob, Original) -> Void
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
            fatalError("this Swift runtime has no hook for tasks")
        }
        let hook = symbol.assumingMemoryBound(to: Hook?.self)
        hook.pointee = { job, _ in SharedPool.shared.add(job) }
    }

    private func add(_ job: UnownedJob) {
        guard let scheduler else { fatalError("a task outlived its run") }
        scheduler.submit(nil, of: nil) { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
