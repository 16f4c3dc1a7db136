internal import Glibc

/// Whether this is the directory that it was (S34).
extension StateDirectory {
    private static let placeName = Array("place".utf8)

    /// Whether the directory is a copy of the one that a daemon had last, or was put in its place.
    ///
    /// One that tells of no place is not: there was no copy to tell from it.
    var isCopy: Bool {
        // A directory that was just opened tells its inode, or the start fails by it.
        guard let known = knownPlace,
            let now = try? StatePlace(of: directory, path: path)
        else { return false }
        // Counts for the very same inode under another path only; two that write as one are noticed
        // by their records.
        let there = (try? current(at: known.path)) ?? .nothing
        return now.isCopy(of: known, current: there)
    }

    /// Whether the directory that this one is a copy of is still there, on this computer.
    ///
    /// - Throws: when it cannot be looked at: what belongs to it must not be taken over.
    var hasOriginal: Bool {
        get throws(DocFSError) {
            guard let known = knownPlace else { return false }
            let now = try StatePlace(of: directory, path: path)
            guard now.machine == known.machine else { return false }
            return try current(at: known.path) == .another
        }
    }

    /// Makes this place the directory's own.
    func keepPlace() throws(DocFSError) {
        let text = try StatePlace(of: directory, path: path).text
        if contents(of: Self.placeName) == Array(text.utf8) { return }
        try replace(Self.placeName, with: Array(text.utf8))
    }

    private var knownPlace: StatePlace? {
        contents(of: Self.placeName).flatMap {
            StatePlace(text: String(decoding: $0, as: UTF8.self))
        }
    }

    private func current(at path: String) throws(DocFSError) -> StatePlace.Current {
        do throws(DocFSError) {
            let there = try Posix.status(path: path)
            let here = try Posix.status(of: directory.number)
            if there.inode == here.inode, there.device == here.device { return .this }
            let device = try Posix.contents(ofPath: path + "/device")
            return device == contents(of: DeviceIdentity.file) ? .another : .nothing
        } catch {
            switch error {
            // What another user has is in use there, if at all, with a Local of theirs.
            case .notFound, .notDirectory, .isDirectory, .accessDenied: return .nothing
            default: throw error
            }
        }
    }
}
