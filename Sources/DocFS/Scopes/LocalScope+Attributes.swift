internal import CFuse
internal import Glibc

/// Attributes of files and of the filesystem.
extension LocalScope {
    /// Carries out one setattr and answers what stat(2) shows after it.
    ///
    /// The parts are made one after the other, owner before mode, since a change of owner takes
    /// set-id bits away that the kernel has decided about.
    package func setAttributes(
        of number: FileNumber, _ change: AttributeChange, through file: OpenFile? = nil,
        caller: Caller
    ) throws(DocFSError) -> LookupResult {
        let descriptor: Descriptor
        if let open = file?.descriptor {
            descriptor = open
        } else {
            descriptor = try reached(number).descriptor
        }
        let isWritable = file.map { $0.isWritable } ?? false
        return try changing(number, descriptor) { () throws(DocFSError) in
            if change.isEmpty {
                try dropSetID(number, descriptor, for: caller)
            } else if change.owner != nil || change.group != nil {
                try Posix.setOwner(reached: descriptor, user: change.owner, group: change.group)
            }
            if let mode = change.mode { try Posix.setMode(reached: descriptor, mode & 0o7777) }
            if let size = change.size {
                if isWritable {
                    try Posix.truncate(descriptor.number, to: size)
                } else {
                    try Posix.truncate(reached: descriptor, to: size)
                }
            }
            if change.accessed != .keep || change.modified != .keep {
                try Posix.setTimes(
                    reached: descriptor, accessed: change.accessed, modified: change.modified)
            }
            return answer(try Posix.status(of: descriptor.number), number)
        }
    }

    /// chown(2) that sets nothing, as the caller, whom the disk asks about set-id bits.
    ///
    /// The same request comes before a write that the kernel makes by itself (file_remove_privs):
    /// that asks for no ownership, and the disk drops the bits.
    private func dropSetID(
        _ number: FileNumber, _ descriptor: Descriptor, for caller: Caller
    ) throws(DocFSError) {
        do throws(DocFSError) {
            try creating(for: caller) { () throws(DocFSError) in
                try Posix.setOwner(reached: descriptor, user: nil, group: nil)
            }
        } catch .notPermitted where isWrittenUnseen(number) {}
    }

    /// Where a symbolic link points.
    package func readLink(_ number: FileNumber) throws(DocFSError) -> [UInt8] {
        try Posix.readLink(reached: try reached(number).descriptor)
    }

    /// What statvfs(3) shows for a file.
    package func statistics(of number: FileNumber) throws(DocFSError) -> FileSystemStatistics {
        let status = try Posix.fileSystemStatus(of: try reached(number).descriptor)
        return FileSystemStatistics(
            blockSize: UInt64(status.f_frsize), blocks: UInt64(status.f_blocks),
            freeBlocks: UInt64(status.f_bfree), availableBlocks: UInt64(status.f_bavail),
            files: UInt64(status.f_files), freeFiles: UInt64(status.f_ffree),
            maximumNameLength: UInt32(status.f_namemax))
    }

    /// Makes a change of our own to a file, so that it is not taken for somebody else's; what
    /// somebody else did to the content before is reported.
    func changing<Value>(
        _ number: FileNumber, _ descriptor: Descriptor, _ body: () throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        let before = begin(number, descriptor)
        defer {
            // Without it the stamp is loose, as after a write.
            let after = try? Posix.status(of: descriptor.number)
            if table.endChange(number, before: before, after: after) {
                invalidator.contentChanged(of: number)
            }
        }
        return try body()
    }

    /// We begin to change a file: its status before, where that is wanted.
    func begin(_ number: FileNumber, _ descriptor: Descriptor) -> FileStatus? {
        guard table.beginChange(number) else { return nil }
        // Only a disk that fails does not answer: what others did just before may show late then.
        return try? Posix.status(of: descriptor.number)
    }
}
