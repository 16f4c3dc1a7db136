internal import CFuse

extension Posix {
    /// Whether any process has the file open for writing, this one included; `nil` where the
    /// filesystem, or the file's owner, does not let us know.
    ///
    /// Asked by taking a read lease for a moment, which fails with EAGAIN while there is a writer
    /// (F_SETLEASE, fcntl(2)).
    ///
    /// - Parameter file: open for reading only.
    package static func hasWriters(_ file: Int32) -> Bool? {
        let answer = docfs_has_writers(file)
        return answer < 0 ? nil : answer == 1
    }
}
