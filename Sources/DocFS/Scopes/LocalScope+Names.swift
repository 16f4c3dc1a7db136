internal import Synchronization

/// Making, removing and moving names.
extension LocalScope {
    // MARK: Making

    /// mknod(2): regular files, FIFOs, sockets and device nodes.
    ///
    /// `mode` holds the type too.
    package func makeNode(
        _ name: Name, in parent: FileNumber, mode: UInt32, device: UInt64, caller: Caller
    ) throws(DocFSError) -> LookupResult {
        try making(name, in: parent, for: caller) { (directory, name) throws(DocFSError) in
            try Posix.makeNode(at: directory, name, mode: mode, device: device)
        }
    }

    /// mkdir(2).
    package func makeDirectory(
        _ name: Name, in parent: FileNumber, mode: UInt32, caller: Caller
    ) throws(DocFSError) -> LookupResult {
        try making(name, in: parent, for: caller) { (directory, name) throws(DocFSError) in
            try Posix.makeDirectory(at: directory, name, mode: mode & 0o7777)
        }
    }

    /// symlink(2).
    package func makeSymlink(
        _ name: Name, in parent: FileNumber, target: [UInt8], caller: Caller
    ) throws(DocFSError) -> LookupResult {
        try making(name, in: parent, for: caller) { (directory, name) throws(DocFSError) in
            try Posix.symlink(target: target, at: directory, name)
        }
    }

    /// link(2): gives a file the further name `name` in `parent`.
    package func link(_ number: FileNumber, as name: Name, in parent: FileNumber)
        throws(DocFSError) -> LookupResult
    {
        let directory = try directory(parent, making: name)
        let file = try reached(number).descriptor
        try changing(number, file) { () throws(DocFSError) in
            try Posix.link(reached: file, to: directory.descriptor.number, name.bytes)
        }
        // Each of several names is asked for whenever it is used: the kernel knew only one.
        for (parent, name) in table.places(of: number) {
            invalidator.entryChanged(in: parent, name)
        }
        return try made(name, in: directory)
    }

    private func making(
        _ name: Name, in parent: FileNumber, for caller: Caller,
        _ make: (Int32, [UInt8]) throws(DocFSError) -> Void
    ) throws(DocFSError) -> LookupResult {
        let directory = try directory(parent, making: name)
        try creating(for: caller) { () throws(DocFSError) in
            try make(directory.descriptor.number, name.bytes)
        }
        return try made(name, in: directory)
    }

    private func made(_ name: Name, in directory: LocalDirectory) throws(DocFSError)
        -> LookupResult
    {
        answer(try Posix.status(at: directory.descriptor.number, name.bytes), name, directory)
    }

    /// A directory in which `name` may be made.
    func directory(_ number: FileNumber, making name: Name) throws(DocFSError) -> LocalDirectory {
        let directory = try directory(number)
        if isHidden(name, in: directory) { throw .notPermitted }
        try check(name)
        return directory
    }

    // MARK: Removing

    /// unlink(2).
    ///
    /// The file stays reachable by number while it is open or has other names.
    package func unlink(_ name: Name, in parent: FileNumber) throws(DocFSError) {
        let directory = try directory(parent, having: name)
        let status = try Posix.status(at: directory.descriptor.number, name.bytes)
        // Held until the table knows, lest the disk give the inode to a file made meanwhile.
        let removed = reach(name, in: directory)
        try Posix.unlink(at: directory.descriptor.number, name.bytes)
        if status.isSpecial { keep(removed) }
        table.removed(name, in: parent, status)
        withExtendedLifetime(removed) {}
    }

    /// rmdir(2).
    ///
    /// The directory still has attributes for who works in it.
    package func removeDirectory(_ name: Name, in parent: FileNumber) throws(DocFSError) {
        let directory = try directory(parent, having: name)
        let removed = try Posix.reachDirectory(at: directory.descriptor.number, name.bytes)
        let status = try Posix.status(of: removed.number)
        try Posix.removeDirectory(at: directory.descriptor.number, name.bytes)
        keep(removed)
        table.removed(name, in: parent, status)
    }

    /// Keeps what has lost its name, and is used without a handle of ours: a directory as some
    /// process's working directory, a FIFO by those who read and write it, a document that is
    /// replaced while somebody who has found its name is about to open it.
    ///
    /// The kernel forgets it at once where nobody does.
    func keep(_ nameless: Descriptor?) {
        // Of what cannot be looked at nobody gets more by its descriptor.
        guard let nameless, let status = try? Posix.status(of: nameless.number),
            status.isDirectory || status.links == 0
        else { return }
        table.keep(nameless, for: table.number(of: LocalIdentity(status)))
    }

    /// What is about to lose its name, O_PATH; `nil` when another program was faster.
    func reach(_ name: Name, in directory: LocalDirectory) -> Descriptor? {
        // Where that fails otherwise, the disk may give the inode away a moment early: the next
        // look tells the two files apart.
        try? Posix.reach(at: directory.descriptor.number, name.bytes)
    }

    /// A directory in which `name` may be.
    func directory(_ number: FileNumber, having name: Name) throws(DocFSError) -> LocalDirectory {
        let directory = try directory(number)
        if isHidden(name, in: directory) { throw .notFound }
        try check(name)
        return directory
    }

    // MARK: Moving

    /// renameat2(2) inside `Local/`.
    package func rename(
        _ name: Name, in parent: FileNumber, to newName: Name, in newParent: FileNumber,
        mode: RenameMode
    ) throws(DocFSError) {
        let from = try directory(parent, having: name)
        let to = try directory(newParent, making: newName)
        try whileMoving { () throws(DocFSError) in try move(name, from, newName, to, mode) }
    }

    /// Does `body`, which moves a name on the disk and in the table.
    func whileMoving<Value>(_ body: () throws(DocFSError) -> Value) throws(DocFSError) -> Value {
        let result: Result<Value, DocFSError> = moving.withLock { _ in
            do throws(DocFSError) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// With ``moving`` held.
    private func move(
        _ name: Name, _ from: LocalDirectory, _ newName: Name, _ to: LocalDirectory,
        _ mode: RenameMode
    ) throws(DocFSError) {
        let old = from.descriptor.number
        let new = to.descriptor.number
        // What has the new name now: replaced, or exchanged.
        let other =
            mode == .noReplace ? nil : try Posix.statusIfPresent(at: new, newName.bytes)
        let replaced = mode == .replace && other != nil ? reach(newName, in: to) : nil
        try Posix.rename(at: old, name.bytes, to: new, newName.bytes, mode: mode)
        let moved = try Posix.statusIfPresent(at: new, newName.bytes)
        // Two names of one file: rename(2) did nothing.
        if let moved, let other, LocalIdentity(moved) == LocalIdentity(other) { return }
        if let other {
            if mode == .exchange {
                table.moved(newName, in: to.number, to: name, in: from.number, other)
            } else {
                keep(replaced)
                table.removed(newName, in: to.number, other)
                withExtendedLifetime(replaced) {}
            }
        }
        if let moved { table.moved(name, in: from.number, to: newName, in: to.number, moved) }
    }
}
