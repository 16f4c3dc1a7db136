internal import CFuse
internal import Glibc

/// Where requests for documents and for `.docfs` part, and what several handlers share.
extension Session {
    /// The name of the control directory in the root.
    private static let controlName: [UInt8] = Array(".docfs".utf8)

    func lookup(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LookupResult {
        if let control, parent.isControl || parent == .root && name.bytes == Session.controlName {
            return try control.lookup(name, in: parent)
        }
        return try namespace.lookup(name, in: parent)
    }

    /// Asks something of the file behind `node`, once more where it has moved to another scope
    /// meanwhile: the kernel looks again only for who came by name.
    func withNumber<Value>(
        of node: UInt64, _ body: (FileNumber) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        let number = try inodes.number(of: node)
        do throws(DocFSError) {
            return try body(number)
        } catch .stale {
            let now = try inodes.number(of: node)
            if now == number { throw .stale }
            return try body(now)
        }
    }

    /// The file behind `node` for a change: nothing in `.docfs` can be changed.
    func writable(_ node: UInt64) throws(DocFSError) -> FileNumber {
        let number = try inodes.number(of: node)
        if number.isControl { throw .notPermitted }
        return number
    }

    func list(
        _ handle: UInt64, from cookie: UInt64, withAttributes: Bool,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError) {
        if HandleTable.isControl(handle) {
            let directory = HandleTable.control(handle)
            try control?.list(
                directory, from: cookie, withAttributes: withAttributes, each)
        } else {
            let directory = HandleTable.object(handle, as: OpenDirectory.self)
            try namespace.list(directory, from: cookie, withAttributes: withAttributes, each)
        }
    }

    /// Answers a read, now or when its bytes arrive.
    ///
    /// `handle` lives at least as long as that.
    func answer(_ request: Request, _ answer: ReadAnswer, handle: any HandleTable.Object) {
        switch answer {
        case .range(let descriptor, let offset, let length):
            request.reply(from: descriptor, at: offset, length: length)
        case .bytes(let bytes): request.reply(bytes)
        case .waiting(let read): parked.park(request, read, handle: handle)
        }
    }

    func release(_ handle: UInt64, of node: UInt64) {
        dismiss(node)
        if HandleTable.isControl(handle) {
            control?.close(HandleTable.control(handle))
        } else {
            namespace.close(HandleTable.object(handle, as: OpenFile.self))
        }
        handles.remove(handle)
    }

    func releaseDirectory(_ handle: UInt64) {
        if HandleTable.isControl(handle) {
            control?.closeDirectory(HandleTable.control(handle))
        } else {
            namespace.closeDirectory(HandleTable.object(handle, as: OpenDirectory.self))
        }
        handles.remove(handle)
    }

    /// Takes the set-id bits away from what `caller` has just changed.
    func dropSetID(from file: OpenFile, for caller: Caller) throws(DocFSError) {
        guard dropsSetID(for: caller), let descriptor = file.descriptor,
            try SetID.drop(from: descriptor.number)
        else { return }
        attributesChanged(of: file.number)
    }

    /// Whether a write of `caller` takes set-id bits away and nobody below us does it.
    func dropsSetID(for caller: Caller) -> Bool {
        isPrivileged && caller.user != 0 && docfs_session_handles_killpriv() != 0
    }
}
