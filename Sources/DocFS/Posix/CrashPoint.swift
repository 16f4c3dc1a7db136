internal import Glibc
internal import Synchronization

/// The steps between which `kill -9` can tell a difference, each by its name, so that tests can
/// end the daemon at every one of them (R8).
///
/// `DOCFS_CRASH_AT=NAME[:N]` in the environment ends the process, as `kill -9` would, when it
/// passes the point of that name for the N-th time. Without it a point costs one comparison.
///
/// A point stands right after what it is named for. `Tests/Stories/crashes.story` fails for a
/// point that it does not reach.
package enum CrashPoint: String, CaseIterable, Sendable {
    // MARK: The catalog

    /// A transaction is complete but for its commit.
    case catalogCommitting
    /// A transaction is committed, and nobody has been told.
    case catalogCommitted

    // MARK: From Local to a cloud scope

    /// The intent is in the catalog.
    case importNoted
    /// The file, or the whole directory, is in the hidden folder.
    case importDetached
    /// An entry of a detached directory has a row.
    case importAdopting
    /// An entry of a detached directory has left it.
    case importAdopted
    /// The row has its name in the cloud scope.
    case importNamed

    // MARK: From a cloud scope to Local

    /// The row has left the cloud scope and is shown in Local.
    case departureNoted
    /// The directory is there, still empty.
    case arrivalDirectoryMade
    /// The directory has arrived, what is in it is on its way.
    case arrivalDirectoryFinished
    /// The link, pipe or socket is there.
    case arrivalNodeMade
    /// The whole file is in the hidden folder, under a name of its own.
    case arrivalStaged
    /// The catalog knows which file that is.
    case arrivalNoted
    /// The file has its name in Local.
    case arrivalPlaced
    /// The row is gone.
    case arrivalFinished

    // MARK: Bringing bytes

    /// All bytes are here.
    case hydrationFetched
    /// They are the right ones.
    case hydrationVerified
    /// The row says so.
    case hydrationRecorded

    // MARK: Syncing

    /// Steps about this device are committed, and nobody has been told.
    case planApplied
    /// An effect on the store is in the journal.
    case effectIntended
    /// The effect has taken place.
    case effectDone
    /// The effect was refused, and the journal has forgotten it.
    case effectForgotten
    /// An effect of an earlier process is known to have taken place.
    case effectSettled
    /// The record is in the change log.
    case recordAppended
    /// A record of the change log was read.
    case recordRead
    /// The record is in the catalog.
    case recordApplied

    // MARK: The folder store

    /// A new body is complete, where nobody sees it.
    case bodyStaged
    /// A new body has its name.
    case bodyCreated
    /// A new body waits to be exchanged for the old one.
    case bodySetAside
    /// The new body has its name, the old one has none.
    case bodyExchanged
    /// The old body is among the versions.
    case bodyKept
    /// A body or a directory has another name.
    case objectMoved
    /// A new directory is complete, where nobody sees it.
    case directoryStaged
    /// A directory is gone.
    case directoryRemoved
    /// An object has its new metadata, but not its times and mode.
    case metadataWritten
    /// An object has its new metadata, times and mode.
    case metadataSet
    /// Everything in the store is on stable storage.
    case storeSynced

    private static let variable = "DOCFS_CRASH_AT"

    /// The point to die at, and at which passing.
    private static let target: (point: CrashPoint, passing: Int)? = {
        guard let text = getenv(variable) else { return nil }
        let words = String(cString: text).split(separator: ":", maxSplits: 1)
        guard let name = words.first, let point = CrashPoint(rawValue: String(name)) else {
            return nil
        }
        return (point, words.count == 1 ? 1 : Int(words[1]) ?? 1)
    }()

    private static let passings = Atomic<Int>(0)

    /// Who is told of each point that is passed, on the thread that passes it: a simulation, in
    /// which many devices die and the process does not.
    package static func observe(_ observer: (@Sendable (CrashPoint) -> Void)?) {
        Self.observer.withLock { $0 = observer.map(Observer.init) }
        isObserved.store(observer != nil, ordering: .releasing)
    }

    /// A mutex wraps a bare closure once more at each use.
    private final class Observer: Sendable {
        let tell: @Sendable (CrashPoint) -> Void
        init(_ tell: @escaping @Sendable (CrashPoint) -> Void) { self.tell = tell }
    }

    private static let observer = Mutex<Observer?>(nil)
    private static let isObserved = Atomic(false)

    /// The process passes a point.
    package static func reached(_ point: CrashPoint) {
        if isObserved.load(ordering: .acquiring) { observer.withLock { $0 }?.tell(point) }
        guard let target, target.point == point else { return }
        if passings.add(1, ordering: .relaxed).newValue == target.passing { die() }
    }

    private static func die() -> Never {
        kill(getpid(), SIGKILL)
        while true { pause() }
    }

    /// What is wrong with the environment's wish, with all names; `nil` when nothing is.
    package static var objection: String? {
        guard target == nil, let text = getenv(variable) else { return nil }
        let names = allCases.map(\.rawValue).joined(separator: " ")
        return "\(variable): no point is called \(String(cString: text)), but these are: \(names)"
    }
}
