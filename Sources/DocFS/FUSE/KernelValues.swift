internal import CFuse
internal import Glibc

extension FileAttributes {
    /// What libfuse sends for these attributes.
    var status: stat {
        var value = stat()
        value.st_ino = .init(number.value)
        value.st_mode = mode
        value.st_nlink = .init(links)
        value.st_uid = owner
        value.st_gid = group
        value.st_rdev = .init(device)
        value.st_size = .init(clamping: size)
        value.st_blksize = 4096
        value.st_blocks = .init(clamping: blocks)
        value.st_atim = accessed.timespec
        value.st_mtim = modified.timespec
        value.st_ctim = changed.timespec
        return value
    }
}

extension Timestamp {
    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
    }
}

extension fuse_entry_param {
    /// The answer to a lookup that found `attributes` under `node`; its name is asked for each time
    /// where it is one of several.
    init(node: UInt64, attributes: FileAttributes, validity: Double) {
        self.init()
        ino = node
        attr = attributes.status
        attr_timeout = validity
        entry_timeout = attributes.hasOtherNames ? 0 : validity
    }

    /// The answer that there is nothing of this name, worth remembering for `validity` seconds.
    init(absentFor validity: Double) {
        self.init()
        entry_timeout = validity
    }
}

extension AttributeChange {
    /// Reads a SETATTR request.
    ///
    /// The change time is never set: it is always now.
    init(_ wanted: stat, fields: Int32) {
        self.init()
        if fields & FUSE_SET_ATTR_MODE != 0 { mode = wanted.st_mode & 0o7777 }
        if fields & FUSE_SET_ATTR_UID != 0 { owner = wanted.st_uid }
        if fields & FUSE_SET_ATTR_GID != 0 { group = wanted.st_gid }
        if fields & FUSE_SET_ATTR_SIZE != 0 { size = UInt64(wanted.st_size) }
        accessed = AttributeChange.time(
            wanted.st_atim, isSet: fields & FUSE_SET_ATTR_ATIME != 0,
            isNow: fields & FUSE_SET_ATTR_ATIME_NOW != 0)
        modified = AttributeChange.time(
            wanted.st_mtim, isSet: fields & FUSE_SET_ATTR_MTIME != 0,
            isNow: fields & FUSE_SET_ATTR_MTIME_NOW != 0)
    }

    private static func time(_ value: timespec, isSet: Bool, isNow: Bool) -> TimeChange {
        if isNow { return .now }
        return isSet ? .set(Timestamp(value)) : .keep
    }
}

extension FileSystemStatistics {
    /// What libfuse sends for statvfs(3).
    var status: statvfs {
        var value = statvfs()
        value.f_bsize = .init(blockSize)
        value.f_frsize = .init(blockSize)
        value.f_blocks = .init(blocks)
        value.f_bfree = .init(freeBlocks)
        value.f_bavail = .init(availableBlocks)
        value.f_files = .init(files)
        value.f_ffree = .init(freeFiles)
        value.f_favail = .init(freeFiles)
        value.f_namemax = .init(maximumNameLength)
        return value
    }
}

extension RenameMode {
    /// Reads the flags of renameat2(2); whiteouts are not offered.
    init(flags: UInt32) throws(DocFSError) {
        switch flags {
        case 0: self = .replace
        case docfs_rename_noreplace: self = .noReplace
        case docfs_rename_exchange: self = .exchange
        default: throw .invalidArgument
        }
    }
}
