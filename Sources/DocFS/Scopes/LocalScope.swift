internal import Glibc
internal import Synchronization

/// The scope that shows a plain directory as it is (S2): every call is made on the disk at once.
///
/// Safe from any thread, and made to be called synchronously by many: no call waits for anything
/// but the disk. Other programs may change the directory at any time, so files are reached by the
/// names that they were last seen under, strictly below the root and through no symbolic link, and
/// checked against device and inode on every use; `.stale` says that a number no longer names what
/// it named. What the kernel may believe by itself it may believe for ``validity``.
///
/// The daemon's umask must be 0: modes come from the kernel, which has applied the caller's.
package final class LocalScope: Sendable {
    /// Seconds for which the kernel may answer by itself; under one, so that changes made in the
    /// directory are seen within a second.
    package static let validity = 0.9

    let table: LocalTable
    /// The name that is not shown where a filesystem begins.
    let hidden: Name
    let invalidator: any KernelInvalidator
    /// Held while a name moves on the disk and in the table: who found nothing under a name that
    /// is just moving waits here, and looks again.
    let moving = Mutex<Void>(())
    /// Whether the disk may tell at close(2) of writes that failed.
    let tellsAtClose: Bool
    let daemonUser = geteuid()
    private let daemonGroup = getegid()

    /// Shows the directory behind `root` (O_PATH | O_DIRECTORY), hiding the entry `hidden` at its
    /// top and at the top of every filesystem mounted in it.
    ///
    /// `deviceIndex` answers the lasting index (1…16382) of a device (`st_dev`) other than the
    /// root's, the first time that one is met; without it they are counted as they are met.
    package convenience init(
        root: Descriptor, hidden: Name, invalidator: any KernelInvalidator,
        deviceIndex: (@Sendable (_ device: UInt64) -> UInt64)? = nil
    ) throws(DocFSError) {
        try self.init(
            root: root, hidden: hidden, invalidator: invalidator, deviceIndex: deviceIndex,
            descriptors: 256)
    }

    /// As above; `descriptors` is how many directories keep one.
    init(
        root: Descriptor, hidden: Name, invalidator: any KernelInvalidator,
        deviceIndex: (@Sendable (_ device: UInt64) -> UInt64)?, descriptors: Int
    ) throws(DocFSError) {
        let status = try Posix.status(of: root.number)
        guard status.isDirectory else { throw .notDirectory }
        self.hidden = hidden
        self.invalidator = invalidator
        // Where nobody can tell, it may.
        tellsAtClose = (try? Posix.isRemote(root.number)) ?? true
        table = LocalTable(
            root: root, status: status,
            numbers: LocalNumbers(rootDevice: status.device, assign: deviceIndex),
            descriptors: descriptors)
    }

    /// The number of the directory itself.
    package var root: FileNumber { table.root }

    /// How many files are in memory: those that the kernel holds, and those above them.
    package var filesInMemory: Int { table.count }

    // MARK: Looking up

    /// What `name` in `parent` is.
    ///
    /// Who hands the answer to the kernel calls ``retain(_:)`` too.
    package func lookup(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LookupResult {
        let directory = try directory(parent)
        guard !isHidden(name, in: directory) else { return absent }
        try check(name)
        while true {
            let generation = table.generation
            guard
                let status = try Posix.statusIfPresent(
                    at: directory.descriptor.number, name.bytes)
            else { return absent }
            if let number = note(status, name, parent, generation) {
                return answer(status, number)
            }
        }
    }

    /// The kernel was told of `number` once more: by a lookup, by making or linking something, or
    /// in a listing with attributes.
    package func retain(_ number: FileNumber) { table.retain(number) }

    /// The kernel forgot `number`, as often as it had been retained or less often.
    ///
    /// What only this number needed in memory is given back.
    package func forget(_ number: FileNumber, count: UInt64 = 1) { table.forget(number, count) }

    /// What stat(2) shows of a file; `through` is the handle that was asked, if any.
    ///
    /// A file without a name is still reached while it is open. Content that others changed is
    /// reported to the ``KernelInvalidator``.
    package func attributes(of number: FileNumber, through file: OpenFile? = nil)
        throws(DocFSError) -> LookupResult
    {
        let (status, epoch) = try status(of: number, through: file)
        if table.observe(number, status, epoch: epoch) {
            invalidator.contentChanged(of: number)
        }
        return answer(status, number)
    }

    /// Finds out which open files others have changed, and tells the ``KernelInvalidator``.
    ///
    /// To be called twice a second by one thread: who reads a mapping, or reads on without asking
    /// for the size, sends no request that would tell us to look.
    package func checkOpenFiles() {
        for (number, file, epoch) in table.openNumbers() {
            // A file that does not let itself be looked at now does so the next time.
            guard let descriptor = file.descriptor,
                let status = try? Posix.status(of: descriptor.number)
            else { continue }
            if table.observe(number, status, epoch: epoch) {
                invalidator.contentChanged(of: number)
            }
        }
    }

    // MARK: Answers

    var absent: LookupResult { LookupResult(attributes: nil, validity: LocalScope.validity) }

    /// Notes what was seen under a name that cannot move now, and answers it.
    func answer(_ status: FileStatus, _ name: Name, _ directory: LocalDirectory) -> LookupResult {
        answer(status, note(status, name, directory))
    }

    /// Notes what was seen under a name that cannot move now, and tells its number.
    func note(_ status: FileStatus, _ name: Name, _ directory: LocalDirectory) -> FileNumber {
        while true {
            if let number = note(status, name, directory.number, nil) { return number }
        }
    }

    /// As ``LocalTable/record(_:_:in:generation:)``: `nil` says to look again.
    private func note(
        _ status: FileStatus, _ name: Name, _ parent: FileNumber, _ generation: UInt64?
    ) -> FileNumber? {
        switch table.record(status, name, in: parent, generation: generation) {
        case .number(let number): return number
        case .taken(let number, let other):
            invalidator.renumbered(number, to: other)
            table.buried(number)
        case .outdated: sched_yield()
        }
        return nil
    }

    func answer(_ status: FileStatus, _ number: FileNumber) -> LookupResult {
        LookupResult(attributes: attributes(status, number), validity: LocalScope.validity)
    }

    func attributes(_ status: FileStatus, _ number: FileNumber) -> FileAttributes {
        FileAttributes(
            number: number, mode: status.mode, links: status.links, owner: status.owner,
            group: status.group, size: status.size, blocks: status.blocks,
            accessed: status.accessed, modified: status.modified, changed: status.changed,
            device: status.deviceNode)
    }

    // MARK: Names

    /// Whether `name` is the one that is never shown.
    func isHidden(_ name: Name, in directory: LocalDirectory) -> Bool {
        directory.isTop && name == hidden
    }

    /// Refuses what is not one component of a path.
    func check(_ name: Name) throws(DocFSError) {
        guard !name.isValid else { return }
        throw name.bytes.count > Name.maximumLength ? .nameTooLong : .invalidArgument
    }

    // MARK: Who creates

    /// Does `body` so that what it creates belongs to `caller`, where the daemon may do that.
    ///
    /// The kernel has checked the caller's rights.
    func creating<Value>(
        for caller: Caller, _ body: () throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        guard daemonUser == 0, caller.user != daemonUser || caller.group != daemonGroup else {
            return try body()
        }
        return try Posix.acting(asUser: caller.user, group: caller.group, body)
    }
}
