internal import Glibc

/// Open files and listings.
extension Namespace {
    /// - Parameter check: called when the file was reached and before anything is done to it, in
    ///   `Local/`; what it throws ends the call.
    package func open(
        _ number: FileNumber, flags: Int32, caller: Caller,
        check: () throws(DocFSError) -> Void = {}
    ) throws(DocFSError) -> (OpenFile, Caching) {
        if number == .root { throw .isDirectory }
        if number.isLocal {
            return try local.open(number, flags: flags, caller: caller, check: check)
        }
        let isChange = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0
        let scope = try isChange ? cloud(changing: number) : cloud(of: number)
        return try scope.open(number, flags: flags, caller: caller)
    }

    package func create(
        _ name: Name, in parent: FileNumber, mode: UInt32, flags: Int32, caller: Caller
    ) throws(DocFSError) -> (LookupResult, OpenFile, Caching) {
        try refuseRoot(parent)
        if parent.isLocal {
            if try transfers.incoming(name, in: parent) != nil { throw .exists }
            return try local.create(name, in: parent, mode: mode, flags: flags, caller: caller)
        }
        return try cloud(changing: parent).create(
            name, in: parent, mode: mode, flags: flags, caller: caller)
    }

    /// The kernel reads and, if `file` is open for writing, writes by itself from now on: what that
    /// needs is noted when this returns.
    package func passed(_ file: OpenFile) throws(DocFSError) {
        while true {
            let number = file.number
            if number.isLocal {
                local.passed(file, number)
            } else {
                do throws(DocFSError) {
                    try cloud(of: number).passed(file)
                } catch {
                    // It may have arrived in `Local/` just now.
                    if file.number == number { throw error }
                }
            }
            if file.number == number { return }
        }
    }

    package func read(_ file: OpenFile, at offset: UInt64, length: Int) throws(DocFSError)
        -> ReadAnswer
    {
        if file.number.isLocal { return try local.read(file, at: offset, length: length) }
        return try cloud(of: file.number).read(file, at: offset, length: length)
    }

    /// Where bytes are to go that are appended, and that the kernel has for `offset`.
    package func end(of file: OpenFile, insteadOf offset: UInt64) throws(DocFSError) -> UInt64 {
        guard !file.number.isLocal, let content = file.content else { return offset }
        do throws(DocFSError) {
            return try content.end(insteadOf: offset)
        } catch .stale {
            // It arrived in `Local/` just now, or writing says so.
            return offset
        }
    }

    /// `body` gets the descriptor to write into and returns the bytes that it wrote at `offset`.
    package func write(
        _ file: OpenFile, at offset: UInt64, length: Int,
        body: (Int32) throws(DocFSError) -> Int
    ) throws(DocFSError) -> Int {
        if file.number.isLocal {
            return try local.write(file, at: offset, length: length, body: body)
        }
        do throws(DocFSError) {
            return try cloud(of: file.number).write(
                file, at: offset, length: length, body: body)
        } catch .stale where file.number.isLocal {
            // It arrived in `Local/` just now.
            return try local.write(file, at: offset, length: length, body: body)
        }
    }

    package func flush(_ file: OpenFile) throws(DocFSError) {
        if file.number.isLocal { return try local.flush(file) }
        try cloud(of: file.number).flush(file)
    }

    package func sync(_ file: OpenFile, dataOnly: Bool) throws(DocFSError) {
        if file.number.isLocal { return try local.sync(file, dataOnly: dataOnly) }
        try cloud(of: file.number).sync(file, dataOnly: dataOnly)
    }

    /// RELEASE: nobody waits for it.
    package func close(_ file: OpenFile) {
        let number = file.number
        if number.isLocal { return local.close(file) }
        roots.lazy.compactMap(\.cloud).first?.close(file)
    }

    package func allocate(_ file: OpenFile, mode: Int32, offset: UInt64, length: UInt64)
        throws(DocFSError)
    {
        if file.number.isLocal {
            return try local.allocate(file, mode: mode, offset: offset, length: length)
        }
        try cloud(of: file.number).allocate(file, mode: mode, offset: offset, length: length)
    }

    /// SEEK_DATA and SEEK_HOLE of lseek(2).
    package func seek(_ file: OpenFile, offset: UInt64, whence: Int32) throws(DocFSError)
        -> UInt64
    {
        if file.number.isLocal { return try local.seek(file, offset: offset, whence: whence) }
        return try cloud(of: file.number).seek(file, offset: offset, whence: whence)
    }

    /// copy_file_range(2).
    ///
    /// `.notOffered` across scopes: the kernel then copies by itself.
    package func copyRange(
        from source: OpenFile, at offset: UInt64, to destination: OpenFile, at newOffset: UInt64,
        length: UInt64
    ) throws(DocFSError) -> UInt64 {
        switch (source.number.isLocal, destination.number.isLocal) {
        case (true, true):
            return try local.copyRange(
                from: source, at: offset, to: destination, at: newOffset, length: length)
        case (false, false):
            return try cloud(of: destination.number).copyRange(
                from: source, at: offset, to: destination, at: newOffset, length: length)
        default: throw .notOffered
        }
    }

    // MARK: Listing

    package func openDirectory(_ number: FileNumber) throws(DocFSError) -> OpenDirectory {
        if number == .root { return OpenDirectory(number: number, kind: .root) }
        if number.isLocal {
            let listing = try local.openDirectory(number)
            return OpenDirectory(
                number: number,
                kind: .local(listing, incoming: try transfers.incoming(in: number)))
        }
        return OpenDirectory(
            number: number, kind: .cloud(try cloud(of: number).openDirectory(number)))
    }

    /// Hands the entries after `cookie` to `each` until it answers false, or there are no more.
    package func list(
        _ directory: OpenDirectory, from cookie: UInt64, withAttributes: Bool,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        switch directory.kind {
        case .root: try listRoot(from: cookie, each)
        case .local(let listing, let incoming):
            // Where something is arriving, the kernel asks for each file by itself.
            let isCalm = withAttributes && !transfers.hasIncoming
            if incoming.isEmpty {
                try list(listing, from: cookie, withAttributes: isCalm, each)
            } else {
                try list(listing, incoming, from: cookie, withAttributes: isCalm, each)
            }
        case .cloud(let listing):
            try cloud(of: directory.number).list(
                listing, from: cookie, withAttributes: withAttributes, each)
        }
    }

    private func list(
        _ listing: LocalListing, from cookie: UInt64, withAttributes: Bool,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        let moment = transfers.arrivals.moment
        try local.list(listing, from: cookie, withAttributes: withAttributes) { entry in
            guard let links = entry.attributes?.links, links > 1,
                entry.type != LocalItem.typeDirectory, transfers.arrivals.hasLanded(since: moment)
            else { return each(entry) }
            // The kernel asks how many it has when nothing lands.
            return each(
                DirectoryEntry(
                    name: entry.name, number: entry.number, type: entry.type,
                    cookie: entry.cookie))
        }
    }

    private func listRoot(from cookie: UInt64, _ each: (borrowing DirectoryEntry) -> Bool)
        throws(DocFSError)
    {
        for (index, root) in roots.enumerated().dropFirst(Int(clamping: cookie)) {
            let attributes = try attributes(of: root.number, through: nil).attributes
            let entry = DirectoryEntry(
                name: root.name, number: root.number, type: LocalItem.typeDirectory,
                cookie: UInt64(index + 1), attributes: attributes)
            if !each(entry) { return }
        }
    }

    /// Positions of the disk begin here in a listing that starts with incoming documents.
    ///
    /// The disk leaves its topmost 2^32 positions unused.
    private static let diskCookies: UInt64 = 1 << 32

    private func list(
        _ listing: LocalListing, _ incoming: [LocalItem], from cookie: UInt64,
        withAttributes: Bool, _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        if cookie < Self.diskCookies {
            for (index, row) in incoming.enumerated().dropFirst(Int(cookie)) {
                // It may have arrived just now: the kernel asks for what it does not get here.
                let attributes = try? attributes(of: row.number, through: nil).attributes
                let entry = DirectoryEntry(
                    name: row.name, number: row.number, type: row.type,
                    cookie: UInt64(index + 1), attributes: attributes ?? nil)
                if !each(entry) { return }
            }
        }
        let hidden = Set(incoming.map(\.name))
        let start = cookie < Self.diskCookies ? 0 : cookie - Self.diskCookies
        try local.list(listing, from: start, withAttributes: withAttributes) { entry in
            if hidden.contains(entry.name) { return true }
            return each(
                DirectoryEntry(
                    name: entry.name, number: entry.number, type: entry.type,
                    cookie: min(entry.cookie + Self.diskCookies, UInt64(Int64.max)),
                    attributes: entry.attributes))
        }
    }

    /// RELEASEDIR.
    package func closeDirectory(_ directory: OpenDirectory) {}

    package func syncDirectory(_ number: FileNumber) throws(DocFSError) {
        if number == .root { return }
        if number.isLocal { return try local.syncDirectory(number) }
        try cloud(of: number).syncDirectory(number)
    }

    // MARK: Extended attributes

    package func extendedAttribute(_ name: String, of number: FileNumber, caller: Caller)
        throws(DocFSError) -> [UInt8]
    {
        if number == .root { throw .noSuchAttribute }
        if number.isLocal { return try local.extendedAttribute(name, of: number) }
        return try cloud(of: number).extendedAttribute(name, of: number, caller: caller)
    }

    package func setExtendedAttribute(
        _ name: String, of number: FileNumber, value: [UInt8], flags: Int32, caller: Caller
    ) throws(DocFSError) {
        try refuseRoot(number)
        if number.isLocal {
            return try local.setExtendedAttribute(name, of: number, value: value, flags: flags)
        }
        let scope = try cloud(changing: number)
        try changing { (check) throws(DocFSError) in
            try scope.setExtendedAttribute(
                name, of: number, value: value, flags: flags, caller: caller, check: check)
        }
    }

    package func extendedAttributeNames(of number: FileNumber) throws(DocFSError) -> [String] {
        if number == .root { return [] }
        if number.isLocal { return try local.extendedAttributeNames(of: number) }
        return try cloud(of: number).extendedAttributeNames(of: number)
    }

    package func removeExtendedAttribute(_ name: String, of number: FileNumber, caller: Caller)
        throws(DocFSError)
    {
        try refuseRoot(number)
        if number.isLocal { return try local.removeExtendedAttribute(name, of: number) }
        let scope = try cloud(changing: number)
        try changing { (check) throws(DocFSError) in
            try scope.removeExtendedAttribute(name, of: number, caller: caller, check: check)
        }
    }
}

extension LocalItem {
    /// What the mount calls this row.
    var number: FileNumber { FileNumber(UInt64(ino)) }
}
