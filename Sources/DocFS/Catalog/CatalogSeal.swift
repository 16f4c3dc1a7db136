internal import Glibc

/// A note beside the catalog that it was whole when it was last left in order.
///
/// Looking for damage reads all of the catalog, which takes long where there are many documents.
/// The seal names the files as they were then: whoever changed them since has broken it, and so has
/// a process that died, for the seal is taken away before the catalog is opened.
struct CatalogSeal {
    private let path: String

    /// - Parameter path: the catalog's.
    init(path: String) { self.path = path }

    private var own: String { path + "-sealed" }

    /// Takes the seal away.
    ///
    /// - Returns: whether it was there and unbroken.
    func take() -> Bool {
        // What cannot be read is no seal.
        guard let kept = try? Posix.contents(ofPath: own) else { return false }
        let isUnbroken = kept == description()
        do throws(DocFSError) {
            try Posix.unlink(at: AT_FDCWD, Array(own.utf8))
        } catch {
            // It would outlive what is written from now on.
            return false
        }
        return isUnbroken
    }

    /// Seals the files as they are; without a seal the next start looks for damage.
    func leave() {
        guard let description = description(),
            let file = try? Posix.open(
                path: own, flags: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
        else { return }
        // Half a seal is a broken one.
        try? Posix.setContents(of: file, to: description)
    }

    /// The database and its log: which files they are, their sizes, and when they were changed.
    private func description() -> [UInt8]? {
        guard let database = line(path) else { return nil }
        return Array((database + (line(path + "-wal") ?? "")).utf8)
    }

    /// An empty log is as good as none.
    private func line(_ file: String) -> String? {
        // What cannot be looked at SQLite cannot open either, which is told then.
        guard let status = try? Posix.status(path: file), status.size > 0 else { return nil }
        let (modified, changed) = (status.modified, status.changed)
        return """
            \(status.inode) \(status.size) \(modified.seconds).\(modified.nanoseconds) \
            \(changed.seconds).\(changed.nanoseconds)

            """
    }
}
