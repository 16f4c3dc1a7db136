/// How the kernel reaches the bytes of one node while it is open: one way at a time.
///
/// ```
/// closed ──▶ served            reads and writes come to us, by the kernel's pages or past them
///   └──────▶ passed(backing)   the kernel reads and writes the file `backing` by itself
/// ```
///
/// The first handle decides, all that come while one lives follow, and with the last the node is
/// closed again. The kernel would answer an open in another mode, or into a second backing file,
/// with EIO, and a mapping of a direct handle with ENODEV (fs/fuse/iomode.c, fuse_file_io_open;
/// fs/fuse/file.c, fuse_file_mmap). A handle counts from before our answer to OPEN until RELEASE,
/// which the kernel sends after it has taken the handle off its own count: so that count is never
/// higher than this one. Mappings of a served file keep its handle, and so the mode, alive.
struct OpenMode: Equatable {
    enum Way: Equatable {
        case closed
        case served
        case passed(backing: Int32)
    }

    private(set) var way = Way.closed
    private(set) var handles: UInt32 = 0

    /// Counts one more handle; returns the backing id that it is passed through to, if it is.
    ///
    /// `register` is asked by the first handle alone: `nil` says that we serve the file.
    mutating func open(register: () -> Int32?) -> Int32? {
        if way == .closed { way = register().map(Way.passed) ?? .served }
        handles += 1
        if case .passed(let backing) = way { return backing }
        return nil
    }

    /// Counts one handle less; returns the backing id that nobody needs any more, if there is one.
    mutating func close() -> Int32? {
        handles -= min(handles, 1)
        guard handles == 0 else { return nil }
        defer { way = .closed }
        if case .passed(let backing) = way { return backing }
        return nil
    }
}
