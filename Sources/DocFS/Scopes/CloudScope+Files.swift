internal import Glibc

/// Open files.
extension CloudScope {
    /// open(2) of a document that exists; O_TRUNC empties it, and downloads nothing (S8).
    package func open(_ number: FileNumber, flags: Int32, caller: Caller) throws(DocFSError)
        -> (OpenFile, Caching)
    {
        let empties = flags & O_TRUNC != 0
        let isWritable = flags & O_ACCMODE != O_RDONLY || empties
        let arrivals = sights.arrivals
        let (content, row) = try contents.open(number.row, forWriting: isWritable)
        var reading: Reading?
        do throws(DocFSError) {
            if empties {
                rebase(content, row, caller)
                try content.setSize(0)
            } else if flags & O_ACCMODE != O_WRONLY {
                reading = try noteReader(
                    of: row, isWritable: isWritable, since: arrivals, caller)
            }
        } catch {
            contents.close(content, forWriting: isWritable)
            throw error
        }
        if isWritable { sights.wrote(row.ino, by: caller.thread) }
        if row.conflictOf != nil { noteLook(into: row, caller) }
        return (
            openFile(number, content, flags, isWritable: isWritable, caller, reading),
            content.isComplete && reading == nil ? .keep : .direct
        )
    }

    /// Whoever has opened a conflict version goes by what is in it: nothing of another version of
    /// the document takes the place of that any more (S14a).
    private func noteLook(into row: LocalItem, _ caller: Caller) {
        if readers.fetching(for: caller.thread) == .nothing { return }
        // Where that cannot be noted, what takes its place there leaves an earlier version of it.
        let isNews = try? catalog.read { (read) throws(DocFSError) in
            try read.isUnopenedSibling(row.item, scope: id)
        }
        guard isNews == true else { return }
        try? catalog.write { (write) throws(DocFSError) in
            try write.noteOpened(sibling: row.item, scope: id)
        }
    }

    /// The caller knows what is shown from now on, or has to read the whole of it first: then what
    /// it reads is to be told (S14a).
    ///
    /// - Parameter arrivals: how many there were before the row was opened.
    private func noteReader(
        of row: LocalItem, isWritable: Bool, since arrivals: UInt64, _ caller: Caller
    ) throws(DocFSError) -> Reading? {
        let thread = caller.thread
        guard row.parent != nil else {
            try noteReader(ofFormer: row, caller)
            return nil
        }
        let isStored = row.divergence == .none && !isWritable
        let reading = sights.opened(
            row.item, at: isStored ? row.basis : nil, under: row.ino, by: thread)
        if reading == nil, sights.arrivals == arrivals { return nil }
        // It may have been replaced since it was opened.
        let now = try catalog.read { (read) throws(DocFSError) in try read.local(row.ino) }
        if now?.parent != nil { return reading }
        if let basis = row.basis {
            sights.openedTooEarly(row.item, under: row.ino, madeFrom: basis, by: thread)
        }
        return nil
    }

    /// Opened is what the document was before another device's version arrived.
    private func noteReader(ofFormer row: LocalItem, _ caller: Caller) throws(DocFSError) {
        if row.isDeparting { return }
        let shown = try catalog.read { (read) throws(DocFSError) in
            try read.local(item: row.item, scope: id)
        }
        if let shown, shown.ino != row.ino, let basis = row.basis, basis != shown.basis {
            sights.openedFormer(row.item, madeFrom: basis, by: caller.thread)
        }
    }

    /// open(2) with O_CREAT of a name that the kernel does not know.
    ///
    /// `.stale` makes the kernel look again: somebody else made the name meanwhile.
    package func create(
        _ name: Name, in parent: FileNumber, mode: UInt32, flags: Int32, caller: Caller
    ) throws(DocFSError) -> (LookupResult, OpenFile, Caching) {
        let isWritable = flags & O_ACCMODE != O_RDONLY
        let mode = LocalItem.typeFile | mode & 0o7777
        let row: LocalItem
        do {
            row = try make(name, in: parent, mode: mode, caller: caller) { row in
                row.divergence = .written
                // "Open for writing" is written down with the row itself.
                row.isUnflushed = isWritable
            }
        } catch {
            throw error == .exists && flags & O_EXCL == 0 ? .stale : error
        }
        let content: OpenContent
        do {
            content = try contents.openNew(row, forWriting: isWritable)
        } catch {
            // Where that fails too, an empty document stays, which can be removed.
            try? unmake(name, in: parent, row)
            throw error
        }
        sights.wrote(row.ino, by: caller.thread)
        let number = FileNumber(row: row.ino)
        return (
            result(row), openFile(number, content, flags, isWritable: isWritable, caller), .keep
        )
    }

    private func openFile(
        _ number: FileNumber, _ content: OpenContent, _ flags: Int32, isWritable: Bool,
        _ caller: Caller, _ reading: Reading? = nil
    ) -> OpenFile {
        let file = OpenFile(
            number: number, descriptor: nil, content: content,
            isReadable: flags & O_ACCMODE != O_WRONLY, isWritable: isWritable,
            wantsFlush: flags & O_ACCMODE == O_RDWR,
            backing: backing(of: content, isOffered: !isWritable && reading == nil),
            caller: caller,
            fetching: content.isComplete ? .everything : readers.fetching(for: caller.thread),
            reading: reading)
        handles.add(file)
        return file
    }

    /// Only what is here can be passed through, and only readers begin it: a writer whose every
    /// write comes to us is told of at once, and sent in time.
    ///
    /// - Parameter isOffered: nothing that is done through the handle has to come here.
    private func backing(of content: OpenContent, isOffered: Bool) -> OpenFile.Backing {
        guard let file = content.wholeFile else { return .never }
        return isOffered ? .offered(file) : .following
    }

    /// The kernel reads by itself what was opened; what it maps for writing, it writes by itself.
    func passed(_ file: OpenFile) throws(DocFSError) {
        // What cannot be read cannot be mapped, and its writes come here.
        guard file.isWritable, file.isReadable else { return }
        try contents.hold(try content(of: file))
    }

    /// The bytes at once when they are here; otherwise they are on their way (S5, S7), unless the
    /// reader is one that nothing is fetched for: `.notPermitted` (S10).
    package func read(_ file: OpenFile, at offset: UInt64, length: Int) throws(DocFSError)
        -> ReadAnswer
    {
        let content = try content(of: file)
        let served: @Sendable (Int) -> Void = { count in
            file.reading?.served(offset..<offset + UInt64(count), of: content.size)
        }
        switch content.availability(at: offset, length: length) {
        case .here(let descriptor, let length):
            served(length)
            return .range(descriptor: descriptor, offset: offset, length: length)
        case .bytes(let bytes):
            served(bytes.count)
            return .bytes(bytes)
        case .atEnd:
            served(0)
            return .bytes([])
        case .missing: if file.fetching == .nothing { throw .notPermitted }
        }
        let read = PendingRead()
        let isLook = file.fetching == .ranges
        let ticket = content.wait(at: offset, length: length, isLook: isLook) { result in
            if case .success(let answer) = result { served(answer.count) }
            switch result {
            case .success(.range(let descriptor, let length)):
                read.end(.range(descriptor: descriptor, offset: offset, length: length))
            case .success(.bytes(let bytes)): read.end(.bytes(bytes))
            case .failure(let error): read.end(.failed(error))
            }
        }
        read.whenCancelled { content.stopWaiting(ticket) }
        return .waiting(read)
    }

    /// `body` gets the descriptor to write into and returns the bytes that it wrote at `offset`.
    package func write(
        _ file: OpenFile, at offset: UInt64, length: Int,
        body: (Int32) throws(DocFSError) -> Int
    ) throws(DocFSError) -> Int {
        guard file.isWritable else { throw .badHandle }
        return try content(of: file).write(at: offset, length: length, body)
    }

    /// close(2) of one descriptor.
    package func flush(_ file: OpenFile) throws(DocFSError) {
        if file.isWritable { contents.recordSoon(try content(of: file)) }
        _ = contents.takeOver(file.number.row)
    }

    /// fsync(2) or fdatasync(2).
    package func sync(_ file: OpenFile, dataOnly: Bool) throws(DocFSError) {
        try content(of: file).sync()
    }

    /// The last close(2) of a handle.
    package func close(_ file: OpenFile) {
        handles.remove(file)
        guard let content = file.content else { return }
        contents.close(content, forWriting: file.isWritable)
        contents.askToForget(content.ino)
    }

    /// fallocate(2); `mode` is the call's.
    package func allocate(_ file: OpenFile, mode: Int32, offset: UInt64, length: UInt64)
        throws(DocFSError)
    {
        guard file.isWritable else { throw .badHandle }
        try content(of: file).allocate(mode: mode, offset: offset, length: length)
    }

    /// SEEK_DATA and SEEK_HOLE of lseek(2).
    package func seek(_ file: OpenFile, offset: UInt64, whence: Int32) throws(DocFSError)
        -> UInt64
    {
        try content(of: file).seek(offset: offset, whence: whence)
    }

    /// copy_file_range(2); returns the bytes copied.
    package func copyRange(
        from source: OpenFile, at offset: UInt64, to destination: OpenFile, at newOffset: UInt64,
        length: UInt64
    ) throws(DocFSError) -> UInt64 {
        guard destination.isWritable else { throw .badHandle }
        let content = try content(of: source)
        let copied = try content.copyRange(
            at: offset, to: try self.content(of: destination), at: newOffset, length: length)
        // Read and written by the kernel for the program: the copy stands for this reading.
        source.reading?.served(offset..<offset + copied, of: content.size)
        return copied
    }

    private func content(of file: OpenFile) throws(DocFSError) -> OpenContent {
        guard let content = file.content else { throw .badHandle }
        return content
    }
}
