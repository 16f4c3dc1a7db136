/// Files that programs are writing into while they have them open, and when each is reported: once
/// it has stood still for a while, and now and then where it does not.
///
/// A program that copies a file writes without a pause and is done soon; one that keeps a log never
/// is. The longer a file has been growing, the more rarely it is reported: each report is a version
/// that all devices take. Times are nanoseconds since any moment. Belongs to one watcher's thread.
struct GrowingFiles {
    private struct Growth {
        let began: UInt64
        var changed: UInt64
        var reported: UInt64
    }

    /// A file that stood still for so long is reported.
    private static let quiet: UInt64 = 1_000_000_000
    /// The least and the longest time between two reports of one that does not.
    private static let (shortest, longest): (UInt64, UInt64) = (3_000_000_000, 30_000_000_000)
    /// So many are followed at once; of others each write is reported.
    private static let capacity = 4096

    private var files: [ItemPath: Growth] = [:]

    var isEmpty: Bool { files.isEmpty }

    /// Whether a program is writing into the file at `path`.
    func follows(_ path: ItemPath) -> Bool { files[path] != nil }

    /// A file was written into, or its attributes were set while it is open.
    ///
    /// - Returns: whether it is followed.
    mutating func grew(_ path: ItemPath, at now: UInt64) -> Bool {
        if files[path] != nil {
            files[path]?.changed = now
            return true
        }
        guard files.count < Self.capacity else { return false }
        files[path] = Growth(began: now, changed: now, reported: now)
        return true
    }

    /// A file was closed, moved or removed, which is reported in any case.
    mutating func ended(_ path: ItemPath) {
        if !files.isEmpty { files[path] = nil }
    }

    /// The files that are to be reported now.
    mutating func due(at now: UInt64) -> [ItemPath] {
        var due: [ItemPath] = []
        for (path, growth) in files {
            if now >= growth.changed + Self.quiet {
                files[path] = nil
                due.append(path)
            } else if now >= growth.reported + Self.pause(after: now - growth.began) {
                files[path]?.reported = now
                due.append(path)
            }
        }
        return due
    }

    private static func pause(after age: UInt64) -> UInt64 {
        min(longest, max(shortest, age / 4))
    }
}
