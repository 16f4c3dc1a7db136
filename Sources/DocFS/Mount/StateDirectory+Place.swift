internal import Glibc

/// Whether this is the directory that it was (S34).
extension StateDirectory {
    private static let placeName = Array("place".utf8)

    /// Whether the directory is a copy of the one that a daemon had last, or was put in its place.
    ///
    /// One that tells of no place is not: there was no copy to tell from it.
    var isCopy: Bool {
        guard let known = knownPlace,
            let now = try? StatePlace(of: directory, path: path)
        else { return false }
        return now.isCopy(of: known, current: current(at: known.path))
    }

    /// Whether the directory that this one is a copy of is still there, on this computer.
    var hasOriginal: Bool {
        guard let known = knownPlace, let now = try? StatePlace(of: directory, path: path) else {
            return false
        }
        return now.machine == known.machine && current(at: known.path) == .another
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

    private func current(at path: String) -> StatePlace.Current {
        guard let there = try? Posix.status(path: path),
            let here = try? Posix.status(of: directory.number)
        else { return .nothing }
        if there.inode == here.inode, there.device == here.device { return .this }
        let device = try? Posix.contents(ofPath: path + "/device")
        return device != nil && device == contents(of: DeviceIdentity.file) ? .another : .nothing
    }
}
