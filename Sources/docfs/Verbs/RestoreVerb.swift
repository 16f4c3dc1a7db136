internal import ArgumentParser
internal import Glibc

/// `docfs restore`: brings back what was deleted, or an earlier version.
struct RestoreVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back what was deleted, or an earlier version of a document.",
        discussion: """
            A PATH where nothing is any more comes back from the trash, a directory with all that \
            was in it. With --version, the document at PATH becomes what it was; what it is \
            now becomes its newest version, so nothing is lost either way. With --to the restored \
            goes to another path, and PATH stays as it is.

            EXAMPLES:
              docfs restore Cloud/Report.txt
              docfs restore Cloud/Report.txt --version 1
              docfs restore Cloud/Report.txt --version 1 --to Cloud/Report-old.txt
            """)

    @Argument(
        help: "What docfs trash names, or a document.",
        completion: .custom(Completion.deleted))
    var paths: [String]

    @Option(
        help: ArgumentHelp(
            "A number of docfs versions, or how its name begins.", valueName: "v"))
    var version: String?

    @Option(
        help: ArgumentHelp("Restore to this path, where nothing is yet.", valueName: "path"),
        completion: .file())
    var to: String?

    func validate() throws {
        if paths.count > 1, version != nil || to != nil {
            throw ValidationError("--version and --to go with one PATH")
        }
    }

    func run() throws {
        let complaints = Complaints()
        for path in paths { try complaints.collect { try restore(path) } }
        try complaints.conclude()
    }

    private func restore(_ path: String) throws {
        let place = try Place(path).inCloud()
        let target = try to.map { try Place($0) }
        if let target, Files.exists(target.path) { throw Failure(target.name, EEXIST) }
        if let version {
            return try restore(try KeptVersion.chosen(version, of: place), place, target)
        }
        guard let deleted = try DeletedItem.latest(at: place) else {
            throw Failure(
                Files.exists(place.path)
                    ? "\(place.shown): is there; --version N brings back an earlier version of it, "
                        + "and docfs versions lists them"
                    : "\(place.shown): is not in the trash; docfs trash lists what is")
        }
        try Self.restore(deleted, to: target)
    }

    private func restore(_ version: KeptVersion, _ place: Place, _ target: Place?) throws {
        let input = try Document.open(version.path, O_RDONLY)
        defer { close(input) }
        var progress = Progress("restoring", .bytes)
        defer { progress.clear() }
        var done: UInt64 = 0
        func pour(into file: Int32, _ path: String) throws {
            try Document.eachPiece(of: input, version.path) { piece in
                try Document.write(piece, to: file, path)
                done += UInt64(piece.count)
                progress.show(done, of: version.size)
            }
        }
        do {
            if let target {
                try Replacing.create(target.path, by: pour)
            } else {
                try Replacing.document(place.path, by: pour)
            }
        } catch Interruption.interrupted {
            progress.clear()
            Output.say("stopped: \(place.shown) is as it was")
            throw Interruption.interrupted
        }
        progress.clear()
        Output.line("\((target ?? place).shown): as it was until \(version.replacedText)")
    }

    /// Moves something out of the trash, to where it was unless `target` is another place.
    static func restore(_ deleted: DeletedItem, to target: Place?) throws {
        let old = deleted.mount.point + "/" + deleted.plainInner
        let path = target?.path ?? old
        if Files.exists(path) {
            throw Failure(
                "\(ByteText.shown(path)): is there already; --to restores to another path")
        }
        if target == nil { try makeDirectories(above: path) }
        do {
            try Files.move(deleted.path, to: path)
        } catch let failure as Failure {
            // Only within a container is it a move.
            guard let target, target.scope != deleted.scope, !deleted.isDirectory else {
                throw failure
            }
            try Replacing.copy(deleted.path, to: path)
        }
        Output.line("\(ByteText.shown(target?.name ?? Self.told(path))): restored")
    }

    private static func makeDirectories(above path: String) throws {
        let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        if parent.isEmpty || Files.exists(parent) { return }
        try makeDirectories(above: parent)
        try Files.check(parent, Files.with(parent) { mkdir($0, 0o777) })
    }

    /// Relative to the working directory where it lies below that.
    static func told(_ path: String) -> String {
        guard let here = try? Files.currentDirectory(), path.hasPrefix(here + "/") else {
            return path
        }
        return String(path.dropFirst(here.count + 1))
    }
}
