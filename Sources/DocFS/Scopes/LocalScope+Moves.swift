/// What moves across scopes (S24) are made of. None of these asks who may do it.
extension LocalScope {
    /// What is under a name now, without noting it.
    package func status(of name: Name, in parent: FileNumber) throws(DocFSError) -> FileStatus {
        let directory = try directory(parent, having: name)
        return try Posix.status(at: directory.descriptor.number, name.bytes)
    }

    /// A directory, O_PATH.
    package func descriptor(of directory: FileNumber) throws(DocFSError) -> Descriptor {
        try self.directory(directory).descriptor
    }

    /// The number that a file of `Local/` has, whether it is in memory or not.
    package func number(of status: FileStatus) -> FileNumber {
        table.number(of: LocalIdentity(status))
    }

    /// Renames a file or a whole directory out of the shown tree, into a hidden directory on the
    /// same filesystem (`.otherFilesystem` where it is another one).
    ///
    /// Its number, and the numbers below it, stay valid for what is open; by name they are `.stale`
    /// from now on.
    package func detach(
        _ name: Name, in parent: FileNumber, into directory: Int32, as newName: [UInt8]
    ) throws(DocFSError) {
        let from = try self.directory(parent, having: name)
        try whileMoving { () throws(DocFSError) in
            let status = try Posix.status(at: from.descriptor.number, name.bytes)
            try Posix.rename(
                at: from.descriptor.number, name.bytes, to: directory, newName, mode: .noReplace)
            table.removed(name, in: parent, status, isKept: true)
        }
    }

    /// The reverse: renames something out of a hidden directory to `name` in `parent`.
    ///
    /// With `.exchange` what was there goes under the hidden name, as ``detach(_:in:into:as:)``
    /// would leave it. Who hands the answer to the kernel calls ``retain(_:)`` too.
    package func attach(
        from directory: Int32, _ hiddenName: [UInt8], as name: Name, in parent: FileNumber,
        mode: RenameMode
    ) throws(DocFSError) -> FileAttributes {
        let to = try self.directory(parent, making: name)
        return try whileMoving { () throws(DocFSError) in
            let target = to.descriptor.number
            let other = mode == .noReplace ? nil : try Posix.statusIfPresent(at: target, name.bytes)
            let replaced = mode == .replace && other != nil ? reach(name, in: to) : nil
            try Posix.rename(at: directory, hiddenName, to: target, name.bytes, mode: mode)
            keep(replaced)
            if let other {
                table.removed(name, in: parent, other, isKept: mode == .exchange)
            }
            withExtendedLifetime(replaced) {}
            let status = try Posix.status(at: target, name.bytes)
            return attributes(status, note(status, name, to))
        }
    }

    /// The handles that are open on a file.
    package func openFiles(of number: FileNumber) -> [OpenFile] { table.openFiles(of: number) }

    /// Takes a handle in that was opened elsewhere: from now on its ``OpenFile/number`` is a file
    /// of `Local/`, which must be in memory.
    package func adopt(_ file: OpenFile) throws(DocFSError) {
        guard let descriptor = file.descriptor else { throw .badHandle }
        let epoch = table.epoch(of: file.number)
        _ = table.opened(file, try Posix.status(of: descriptor.number), epoch: epoch)
    }

    /// Gives a handle away that goes on in another scope: it no longer belongs to `number`.
    ///
    /// What the kernel knows as `number` is to be renumbered by the ``KernelInvalidator`` and then
    /// to be given to ``forget(_:count:)`` here: the kernel will only forget the new number.
    package func release(_ file: OpenFile, from number: FileNumber) {
        table.closed(file, number)
    }

    /// The numbers in memory of a directory and of everything below it.
    package func numbersInMemory(below directory: FileNumber) -> [FileNumber] {
        table.numbers(below: directory)
    }
}
