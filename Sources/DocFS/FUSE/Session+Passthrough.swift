internal import CFuse
internal import Glibc

/// Handles that the kernel reads and writes by itself (passthrough).
extension Session {
    /// How a new handle reaches its file.
    enum Reach {
        case served(Caching, isFlushed: Bool)
        /// `flags` go with FOPEN_PASSTHROUGH.
        case passed(backing: Int32, flags: UInt32)
    }

    /// Decides how `file`, just opened on `node`, is reached, and counts it.
    ///
    /// Throws `.invalidArgument` when the node is passed through and the file's disk refuses this
    /// handle (O_DIRECT), and what noting a coming edit throws; `handle` is released then.
    func admit(
        _ file: OpenFile, _ caching: Caching, as handle: UInt64, to node: UInt64
    ) throws(DocFSError) -> Reach {
        let opened = inodes.countOpen(of: node) { register(file) }
        guard let backing = opened else {
            file.wasServed()
            return .served(caching, isFlushed: file.wantsFlush)
        }
        do throws(DocFSError) {
            if case .never = file.backing { throw .invalidArgument }
            try namespace.passed(file)
        } catch {
            release(handle, of: node)
            throw error
        }
        // What the kernel believes for long is no longer all that happens.
        if file.isWritable, !file.number.isLocal { attributesChanged(of: file.number) }
        var flags: UInt32 = file.wantsFlush ? 0 : docfs_open_noflush
        if file.showsWrites && file.isWritable || file.reading != nil {
            flags |= docfs_open_direct
        }
        return .passed(backing: backing, flags: flags)
    }

    /// Counts the end of a handle.
    func dismiss(_ node: UInt64) {
        if let backing = inodes.countRelease(of: node) { unregister(backing) }
    }

    /// Answers OPEN; false when the kernel did not get the answer.
    func reply(
        _ reach: Reach, to request: Request, _ info: UnsafeMutablePointer<fuse_file_info>
    ) -> Bool {
        switch reach {
        case .served(let caching, let isFlushed):
            info.pointee.allow(caching, isFlushed: isFlushed)
            return fuse_reply_open(request.raw, info) == 0
        case .passed(let backing, let flags):
            return docfs_reply_open_backed(request.raw, info.pointee.fh, backing, flags) == 0
        }
    }

    /// As above for CREATE.
    func reply(
        _ reach: Reach, to request: Request, _ entry: inout fuse_entry_param,
        _ info: UnsafeMutablePointer<fuse_file_info>
    ) -> Bool {
        switch reach {
        case .served(let caching, let isFlushed):
            info.pointee.allow(caching, isFlushed: isFlushed)
            return fuse_reply_create(request.raw, &entry, info) == 0
        case .passed(let backing, let flags):
            return docfs_reply_create_backed(
                request.raw, &entry, info.pointee.fh, backing, flags) == 0
        }
    }
}

extension fuse_file_info {
    /// What the kernel may keep of the file that was just opened, and whether it sends FLUSH.
    mutating func allow(_ caching: Caching, isFlushed: Bool) {
        noflush = isFlushed ? 0 : 1
        switch caching {
        case .keep: keep_cache = 1
        case .drop: break
        case .direct:
            direct_io = 1
            keep_cache = 1
        }
    }
}
