internal import Glibc

/// A note beside the catalog that a process has it open, and since which start of the system.
///
/// Best effort: without it the log is taken as it is.
struct CatalogUse {
    private let path: String

    /// - Parameter path: the catalog's.
    init(path: String) { self.path = path + "-open" }

    /// Whether a process had the catalog open that did not end in order, while the system has run
    /// on since: whatever it had written must be there.
    var wasCutShort: Bool {
        guard let boot = Posix.boot else { return false }
        // Mostly there is none. Where it cannot be read, the log is taken as it is.
        return (try? Posix.contents(ofPath: path)) == boot
    }

    /// The catalog is open from now on.
    func begin() {
        guard let boot = Posix.boot else { return }
        end()
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        // Half a note says nothing, as none does.
        guard let file = try? Posix.open(path: path, flags: flags, mode: 0o600) else { return }
        try? Posix.setContents(of: file, to: boot)
    }

    /// It is not, or is about to be opened anew.
    ///
    /// A note that stays has a log looked through that need not be.
    func end() { try? Posix.unlink(at: AT_FDCWD, Array(path.utf8)) }
}
