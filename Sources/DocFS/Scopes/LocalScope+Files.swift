internal import Glibc

/// Open files.
extension LocalScope {
    /// open(2) flags that the file on disk is opened with.
    ///
    /// O_DIRECT is not among them: the kernel's requests are not aligned as a disk wants them. Nor
    /// is O_APPEND: each write says whether it appends, since the pages of a mapping do not.
    private static let passedFlags = O_ACCMODE | O_SYNC | O_DSYNC | Posix.noAccessTime

    /// open(2) of a file that exists; O_TRUNC empties it.
    ///
    /// - Parameter check: called when the file was reached, before anything is done to it.
    package func open(
        _ number: FileNumber, flags: Int32, caller: Caller,
        check: () throws(DocFSError) -> Void = {}
    ) throws(DocFSError) -> (OpenFile, Caching) {
        // O_NONBLOCK, lest a FIFO that has taken the name holds us up.
        let passed = flags & LocalScope.passedFlags | O_NONBLOCK | O_NOCTTY
        let epoch = table.epoch(of: number)
        let (descriptor, status) = try reaching(
            number,
            { (descriptor, _, _) throws(DocFSError) in
                let opened = try Posix.reopen(descriptor, flags: passed)
                return (opened, try Posix.status(of: opened.number))
            },
            { (directory, name, identity, _) throws(DocFSError) in
                let opened = try Posix.open(
                    at: directory, name.bytes, flags: passed | O_NOFOLLOW)
                let status = try Posix.status(of: opened.number)
                return LocalIdentity(status) == identity ? (opened, status) : nil
            })
        try check()
        let file = openFile(number, descriptor, status, flags, caller)
        let isKept = table.opened(file, status, epoch: epoch)
        if flags & O_TRUNC != 0 {
            do throws(DocFSError) {
                try changing(number, descriptor) { () throws(DocFSError) in
                    // By name, since O_RDONLY with O_TRUNC is allowed.
                    try Posix.truncate(reached: descriptor, to: 0)
                }
            } catch {
                close(file)
                throw error
            }
        }
        return (file, isKept ? .keep : .drop)
    }

    /// open(2) with O_CREAT of a name that the kernel does not know.
    ///
    /// `.stale` makes the kernel look again: somebody else made the name meanwhile, and whether the
    /// caller may open that file was not yet asked.
    package func create(
        _ name: Name, in parent: FileNumber, mode: UInt32, flags: Int32, caller: Caller
    ) throws(DocFSError) -> (LookupResult, OpenFile, Caching) {
        let directory = try directory(parent, making: name)
        let descriptor = try make(name, in: directory, mode, flags, caller)
        let status = try Posix.status(of: descriptor.number)
        let result = answer(status, name, directory)
        guard let number = result.attributes?.number else { throw .stale }
        let file = openFile(number, descriptor, status, flags, caller)
        let isKept = table.opened(file, status, epoch: table.epoch(of: number))
        return (result, file, isKept ? .keep : .drop)
    }

    private func make(
        _ name: Name, in directory: LocalDirectory, _ mode: UInt32, _ flags: Int32,
        _ caller: Caller
    ) throws(DocFSError) -> Descriptor {
        do {
            return try creating(for: caller) { () throws(DocFSError) in
                try Posix.open(
                    at: directory.descriptor.number, name.bytes,
                    flags: flags & LocalScope.passedFlags | O_CREAT | O_EXCL | O_NOFOLLOW,
                    mode: mode & 0o7777)
            }
        } catch {
            throw error == .exists && flags & O_EXCL == 0 ? .stale : error
        }
    }

    private func openFile(
        _ number: FileNumber, _ descriptor: Descriptor, _ status: FileStatus, _ flags: Int32,
        _ caller: Caller
    ) -> OpenFile {
        let access = flags & O_ACCMODE
        let tellsAtClose = tellsAtClose || status.device != table.rootDevice
        return OpenFile(
            number: number, descriptor: descriptor, isReadable: access != O_WRONLY,
            isWritable: access != O_RDONLY,
            wantsFlush: access == O_RDWR || access == O_WRONLY && tellsAtClose,
            backing: LocalScope.allows(flags, on: descriptor) ? .offered(descriptor) : .never,
            // Whose bits stay when root writes is ours to say.
            showsWrites: status.mode & UInt32(S_ISUID | S_ISGID) != 0, caller: caller)
    }

    /// Whether the kernel could open the file as `flags` say: not every disk has O_DIRECT.
    private static func allows(_ flags: Int32, on descriptor: Descriptor) -> Bool {
        if flags & Posix.direct == 0 { return true }
        // Refused, for whatever reason: then the kernel does not reach the disk by itself.
        return (try? Posix.reopen(descriptor, flags: O_RDONLY | Posix.direct)) != nil
    }

    /// The kernel reads and writes by itself what was opened.
    func passed(_ file: OpenFile, _ number: FileNumber) {
        table.passed(number, isWritten: file.isWritable)
    }

    /// Whether a file may be written without our seeing it: by a handle, or by a mapping that
    /// outlived one.
    func isWrittenUnseen(_ number: FileNumber) -> Bool { table.isWrittenUnseen(number) }

    /// Where the bytes lie.
    package func read(_ file: OpenFile, at offset: UInt64, length: Int) throws(DocFSError)
        -> ReadAnswer
    {
        .range(descriptor: try descriptor(of: file).number, offset: offset, length: length)
    }

    /// Has `body` write into the descriptor that it is given, and answers what it answers: how many
    /// of the `length` bytes at `offset` were written.
    package func write(
        _ file: OpenFile, at offset: UInt64, length: Int,
        body: (Int32) throws(DocFSError) -> Int
    ) throws(DocFSError) -> Int {
        let descriptor = try descriptor(of: file)
        let number = file.number
        let before = begin(number, descriptor)
        var written = 0
        defer {
            if table.endWrite(number, before: before, upTo: offset + UInt64(written)) {
                invalidator.contentChanged(of: number)
            }
        }
        written = try body(descriptor.number)
        return written
    }

    /// One close(2) of a handle: what only closing tells is thrown here.
    package func flush(_ file: OpenFile) throws(DocFSError) {
        try Posix.flush(try descriptor(of: file))
    }

    /// fsync(2) or fdatasync(2).
    package func sync(_ file: OpenFile, dataOnly: Bool) throws(DocFSError) {
        let descriptor = try descriptor(of: file)
        if dataOnly {
            try Posix.syncData(descriptor.number)
        } else {
            try Posix.sync(descriptor.number)
        }
    }

    /// The last close(2) of a handle.
    package func close(_ file: OpenFile) { table.closed(file, file.number) }

    /// fallocate(2); `mode` is the call's.
    package func allocate(_ file: OpenFile, mode: Int32, offset: UInt64, length: UInt64)
        throws(DocFSError)
    {
        let descriptor = try descriptor(of: file)
        try changing(file.number, descriptor) { () throws(DocFSError) in
            try Posix.allocate(descriptor.number, mode: mode, offset: offset, length: length)
        }
    }

    /// lseek(2) with SEEK_DATA or SEEK_HOLE.
    package func seek(_ file: OpenFile, offset: UInt64, whence: Int32) throws(DocFSError)
        -> UInt64
    {
        try Posix.seek(try descriptor(of: file), offset: offset, whence: whence)
    }

    /// copy_file_range(2) between two files of `Local/`; answers the bytes copied.
    package func copyRange(
        from source: OpenFile, at offset: UInt64, to destination: OpenFile, at newOffset: UInt64,
        length: UInt64
    ) throws(DocFSError) -> UInt64 {
        let from = try descriptor(of: source)
        let to = try descriptor(of: destination)
        return try changing(destination.number, to) { () throws(DocFSError) in
            try Posix.copyRange(
                from: from.number, at: offset, to: to.number, at: newOffset, length: length)
        }
    }

    private func descriptor(of file: OpenFile) throws(DocFSError) -> Descriptor {
        guard let descriptor = file.descriptor else { throw .badHandle }
        return descriptor
    }
}
