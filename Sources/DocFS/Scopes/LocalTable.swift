internal import Synchronization

/// The files of `Local/` that the kernel holds, those above them, and how each is reached.
///
/// A file needs no descriptor here: it is reached by the names it was last seen under, and checked
/// against device and inode by who uses them. A bounded number of directories on the root's
/// filesystem keep theirs, the recently used ones; other filesystems get none, so that they can be
/// unmounted. Safe from any thread; the one lock is never held over a system call.
final class LocalTable: Sendable {
    /// Files that were answered and may yet be retained.
    ///
    /// Far more than all threads' replies under way can name at once.
    private static let floatingCapacity = 8192

    struct State {
        var files: [FileNumber: LocalFile] = [:]
        /// Files whose own number belonged to another one when they were met.
        var displaced: [LocalIdentity: FileNumber] = [:]
        var descriptors: LocalRing
        var floating = LocalRing(capacity: LocalTable.floatingCapacity)
        /// How many files had to leave their number to another one.
        var buried: UInt64 = 0
        /// Numbers that such a file has left and that the kernel still means it by, with those
        /// under which it goes on.
        var burying: [FileNumber: FileNumber] = [:]
        /// What nobody needs any more, to be closed without the lock: closing the last descriptor
        /// of a removed directory has the disk free it.
        var closing: [Descriptor] = []
        /// The numbers that have open files.
        var open: Set<FileNumber> = []
    }

    let root: FileNumber
    let rootDevice: UInt64
    let numbers: LocalNumbers
    let state: Mutex<State>
    private let renames = Atomic<UInt64>(0)

    /// `descriptors` is how many directories keep one.
    init(
        root descriptor: Descriptor, status: FileStatus, numbers: LocalNumbers, descriptors: Int
    ) {
        self.numbers = numbers
        root = LocalNumbers.number(of: status.inode, on: 0)
        rootDevice = status.device
        let file = LocalFile(
            number: root, identity: LocalIdentity(status), isDirectory: true, isRoot: true)
        file.descriptor = descriptor
        var state = State(descriptors: LocalRing(capacity: descriptors))
        state.files[root] = file
        self.state = Mutex(state)
    }

    /// How many files are in memory.
    var count: Int { state.withLock { $0.files.count } }

    /// Does `body` with the lock, and closes without it what nobody needs after that.
    func change<Value: Sendable>(_ body: (inout State) -> Value) -> Value {
        let (value, closing) = state.withLock { state in
            let value = body(&state)
            defer { if !state.closing.isEmpty { state.closing = [] } }
            return (value, state.closing)
        }
        withExtendedLifetime(closing) {}
        return value
    }

    // MARK: The kernel's references

    func retain(_ number: FileNumber) {
        change { state in
            guard let file = state.files[state.burying[number] ?? number] else { return }
            file.retained += 1
            state.sink(file)
        }
    }

    func forget(_ number: FileNumber, _ count: UInt64) {
        change { state in
            guard let file = state.files[state.burying[number] ?? number] else { return }
            file.retained -= min(count, file.retained)
            state.drop(file)
        }
    }

    // MARK: Numbers

    /// The number of a file that may not be in memory.
    func number(of identity: LocalIdentity) -> FileNumber {
        let index = numbers.index(of: identity.device)
        if !identity.isFolded { return LocalNumbers.number(of: identity.inode, on: index) }
        return state.withLock { $0.number(of: identity, on: index) }
    }

    /// Moves whenever a name of ours moved or went, before anybody else can see the table.
    var generation: UInt64 { renames.load(ordering: .acquiring) }

    /// Notes that `name` in `parent` was seen to be a file.
    ///
    /// Outdated when the file was given another name of ours after `generation`, so that the status
    /// may be older than that. Without a `generation` the name is known to be held.
    func record(
        _ status: FileStatus, _ name: Name, in parent: FileNumber, generation: UInt64? = nil
    ) -> LocalSight {
        let identity = LocalIdentity(status)
        let index = numbers.index(of: identity.device)
        return change { state in
            let number = state.number(of: identity, on: index)
            if state.burying[number] != nil { return .outdated }
            var file = state.files[number]
            if let known = file {
                if let generation, generation != self.generation,
                    known.isElsewhere(name, in: parent)
                {
                    return .outdated
                }
                if known.isAnother(than: status) {
                    if let other = state.makeWay(known) { return .taken(number, other: other) }
                    file = nil
                }
            }
            let noted = file ?? state.add(number, status)
            if let directory = state.files[parent] {
                if status.isDirectory {
                    noted.isTop = directory.identity.device != status.device
                }
                state.place(noted, name, in: directory, links: status.links)
            }
            if noted.retained == 0 { state.float(noted) }
            return .number(number)
        }
    }

    /// The kernel calls the file that left `number` by its other one now.
    func buried(_ number: FileNumber) {
        change { $0.burying[number] = nil }
    }

    // MARK: Names that changed

    /// `name` in `parent` is no longer the file that it was.
    ///
    /// `status` was taken before; `isKept` says that the file went on somewhere else.
    func removed(
        _ name: Name, in parent: FileNumber, _ status: FileStatus, isKept: Bool = false
    ) {
        let identity = LocalIdentity(status)
        let index = numbers.index(of: identity.device)
        change { state in
            guard let file = state.known(identity, on: index), let directory = state.files[parent]
            else { return }
            renames.add(1, ordering: .releasing)
            file.isGone = !isKept && (status.isDirectory || status.links <= 1)
            state.displace(file, name, in: directory)
            state.drop(file)
        }
    }

    /// The file of `status`, taken after the rename, has moved to `newName` in `newParent`.
    func moved(
        _ name: Name, in parent: FileNumber, to newName: Name, in newParent: FileNumber,
        _ status: FileStatus
    ) {
        let identity = LocalIdentity(status)
        let index = numbers.index(of: identity.device)
        change { state in
            guard let file = state.known(identity, on: index),
                let directory = state.files[parent], let newDirectory = state.files[newParent]
            else { return }
            renames.add(1, ordering: .releasing)
            // A rename moves the change time of the file; its bytes are the same.
            if let stamp = file.stamp, !stamp.differsInContent(from: status) {
                file.stamp = LocalStamp(status)
            }
            state.place(file, newName, in: newDirectory, links: status.links)
            state.displace(file, name, in: directory)
            state.drop(file)
        }
    }
}
