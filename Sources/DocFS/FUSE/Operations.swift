internal import CFuse
internal import Glibc

/// What we answer, as libfuse takes it.
///
/// Absent on purpose: locks (the kernel keeps flock and fcntl locks itself), access (the mount
/// has default_permissions), ioctl and bmap.
enum Operations {
    static var table: fuse_lowlevel_ops {
        var table = fuse_lowlevel_ops()
        table.`init` = { session, connection in
            Operations.negotiate(&connection!.pointee)
            Unmanaged<Session>.fromOpaque(session!)._withUnsafeGuaranteedRef { $0.becomeReady() }
        }
        addNames(to: &table)
        addAttributes(to: &table)
        addFiles(to: &table)
        addDirectories(to: &table)
        return table
    }

    private static func addNames(to table: inout fuse_lowlevel_ops) {
        table.lookup = handleLookup
        table.forget = handleForget
        table.forget_multi = handleForgetMulti
        table.mknod = handleMakeNode
        table.mkdir = handleMakeDirectory
        table.symlink = handleMakeSymlink
        table.link = handleLink
        table.unlink = handleUnlink
        table.rmdir = handleRemoveDirectory
        table.rename = handleRename
    }

    private static func addAttributes(to table: inout fuse_lowlevel_ops) {
        table.getattr = handleAttributes
        table.setattr = handleSetAttributes
        table.readlink = handleReadLink
        table.statfs = handleStatistics
        table.getxattr = handleGetExtendedAttribute
        table.setxattr = handleSetExtendedAttribute
        table.listxattr = handleListExtendedAttributes
        table.removexattr = handleRemoveExtendedAttribute
    }

    private static func addFiles(to table: inout fuse_lowlevel_ops) {
        table.open = handleOpen
        table.create = handleCreate
        table.release = handleRelease
        table.read = handleRead
        table.write_buf = handleWrite
        table.flush = handleFlush
        table.fsync = handleSync
        table.fallocate = handleAllocate
        table.lseek = handleSeek
        table.copy_file_range = handleCopyRange
        table.poll = handlePoll
    }

    private static func addDirectories(to table: inout fuse_lowlevel_ops) {
        table.opendir = handleOpenDirectory
        table.releasedir = handleReleaseDirectory
        table.fsyncdir = handleSyncDirectory
        table.readdir = handleList
        table.readdirplus = handleListWithAttributes
    }

    /// Chooses from what the kernel offers.
    ///
    /// What libfuse 3.14 does not know is added by `docfs_session_mount`.
    private static func negotiate(_ connection: inout fuse_conn_info) {
        let wanted =
            FUSE_CAP_ASYNC_READ | FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_SPLICE_READ
            | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE | FUSE_CAP_PARALLEL_DIROPS
            | FUSE_CAP_ASYNC_DIO | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO
        connection.want = connection.capable & UInt32(wanted)
        connection.max_write = 1 << 20
        // Readahead of several files, and direct reads that the kernel splits, go side by side.
        connection.max_background = 64
        connection.congestion_threshold = 48
    }
}
