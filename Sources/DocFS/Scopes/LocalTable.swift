internal import Synchronization

/// The files of `Local/` that the kernel holds, those above them, and how each is reached.
///
/// A file needs no descriptor here: it is reached by the names it was last seen under, and checked
/// against device and inode by who uses them. A bounded number of directories on the root's
/// filesystem keep theirs, the recently used ones; other filesystems get none, so that they can be
/// unmounted. Safe from any thread; the one lock is never held over a system call other than the
/// close(2) of an O_PATH descriptor.
final class LocalTable: Sendable {
    /// Directories that keep a descriptor.
    private static let descriptorCapacity = 256
    /// Files that were answered and may yet be retained.
    ///
    /// Far more than all threads' replies under way can name at once.
    private static let floatingCapacity = 8192

    struct State {
        var files: [FileNumber: LocalFile] = [:]
        /// Files whose own number belonged to another one when they were met.
        var displaced: [LocalIdentity: FileNumber] = [:]
        var descriptors = LocalRing(capacity: LocalTable.descriptorCapacity)
        var floating = LocalRing(capacity: LocalTable.floatingCapacity)
        /// The numbers that have open files.
        var open: Set<FileNumber> = []
    }

    let root: FileNumber
    let rootDevice: UInt64
    let numbers: LocalNumbers
    let state: Mutex<State>
    private let renames = Atomic<UInt64>(0)

    init(root descriptor: Descriptor, status: FileStatus, numbers: LocalNumbers) {
        self.numbers = numbers
        root = LocalNumbers.number(of: status.inode, on: 0)
        rootDevice = status.device
        let file = LocalFile(
            number: root, identity: LocalIdentity(status), isDirectory: true, isRoot: true)
        file.descriptor = descriptor
        var state = State()
        state.files[root] = file
        self.state = Mutex(state)
    }

    /// How many files are in memory.
    var count: Int { state.withLock { $0.files.count } }

    // MARK: The kernel's references

    func retain(_ number: FileNumber) {
        state.withLock { state in
            guard let file = state.files[number] else { return }
            file.retained += 1
            state.sink(file)
        }
    }

    func forget(_ number: FileNumber, _ count: UInt64) {
        state.withLock { state in
            guard let file = state.files[number] else { return }
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

    /// Notes that `name` in `parent` was seen to be a file, and tells its number.
    ///
    /// `nil` when the file was given another name of ours after `generation`, so that the status
    /// may be older than that: look again. Without a `generation` the name is known to be held.
    func record(
        _ status: FileStatus, _ name: Name, in parent: FileNumber, generation: UInt64? = nil
    ) -> FileNumber? {
        let identity = LocalIdentity(status)
        let index = numbers.index(of: identity.device)
        return state.withLock { state in
            if let generation, generation != self.generation,
                let known = state.known(identity, on: index), known.isElsewhere(name, in: parent)
            {
                return nil
            }
            let file = state.file(identity, status, on: index)
            if let directory = state.files[parent] {
                if status.isDirectory { file.isTop = directory.identity.device != status.device }
                state.place(file, name, in: directory, links: status.links)
            }
            if file.retained == 0 { state.float(file) }
            return file.number
        }
    }

    // MARK: Names that changed

    /// `name` in `parent` is no longer the file that it was.
    func removed(_ name: Name, in parent: FileNumber, _ status: FileStatus) {
        let identity = LocalIdentity(status)
        let index = numbers.index(of: identity.device)
        state.withLock { state in
            guard let file = state.known(identity, on: index), let directory = state.files[parent]
            else { return }
            renames.add(1, ordering: .releasing)
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
        state.withLock { state in
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
