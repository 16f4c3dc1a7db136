internal import Glibc

/// Edits that no container has, brought out of a state directory without any daemon.
///
/// A file that holds such an edit says in an attribute of its own which document it is (the
/// on-disk format tells of it): the catalog is not needed, so that a damaged one does no harm.
/// Nothing in the state directory is changed.
struct Recovery {
    /// Scope, item, base revision and path, with NUL between them.
    private static let label = "user.docfs.edit"

    /// Where what is found goes: a directory for each scope, the documents' paths below it.
    let target: String
    private(set) var count = 0

    init(to target: String) throws {
        self.target = target
        try Self.makeDirectories(target)
    }

    /// Looks through everything below `directory`.
    mutating func search(_ directory: String, _ complaints: Complaints) throws {
        var found: [(file: String, scope: String, path: String)] = []
        try Walk.each(directory, as: directory, complaints) { item in
            if item.isDirectory { return true }
            try complaints.collect {
                guard let label = try Files.attribute(Self.label, of: item.path) else { return }
                let fields = label.split(
                    separator: "\0", maxSplits: 3, omittingEmptySubsequences: false)
                guard fields.count == 4, Self.isSafe(fields[0] + "/" + fields[3]) else {
                    throw Failure("\(item.name): does not say which document it is")
                }
                found.append((item.path, String(fields[0]), String(fields[3])))
            }
            return false
        }
        for edit in found {
            try Interruption.check()
            try complaints.collect {
                let path = try export(edit.file, as: target + "/" + edit.scope + "/" + edit.path)
                Output.line("\(path)")
            }
        }
    }

    private mutating func export(_ file: String, as path: String) throws -> String {
        try Self.makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        let free = try Files.freeName(path)
        try Replacing.copy(file, to: free)
        let status = try Files.status(of: file)
        let times = [status.st_atim, status.st_mtim]
        try Files.check(free, Files.with(free) { utimensat(AT_FDCWD, $0, times, 0) })
        count += 1
        return free
    }

    /// Whether a path leads nowhere but down.
    private static func isSafe(_ path: some StringProtocol) -> Bool {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    private static func makeDirectories(_ path: String) throws {
        if try path.isEmpty || Files.exists(path) { return }
        try makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        try Files.check(path, Files.with(path) { mkdir($0, 0o700) })
    }
}
