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
            now becomes its newest version, so nothing is lost either way: an edit that the \
            container does not have yet is sent first. With --to the restored goes to another \
            path, and PATH stays as it is.

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
        if let target, try Files.exists(target.path) { throw Failure(target.name, EEXIST) }
        if let version {
            return try restore(try KeptVersion.chosen(version, of: place), place, target)
        }
        guard let deleted = try DeletedItem.latest(at: place) else {
            let isThere = try Files.exists(place.path)
            throw Failure(
                isThere
                    ? "\(place.name): is there; --version N brings back an earlier version of it, "
                        + "and docfs versions lists them"
                    : "\(place.name): is not in the trash; docfs trash lists what is")
        }
        try Self.restore(deleted, to: target)
    }

    private func restore(_ version: KeptVersion, _ place: Place, _ target: Place?) throws {
        let input = try Document.open(version.path, O_RDONLY)
        defer { close(input) }
        let mode = try Files.status(of: version.path).st_mode
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
                try Replacing.create(target.path, for: mode, by: pour)
            } else {
                let item = Walk.Item(path: place.path, name: place.name, isDirectory: false)
                try Sending.all(of: [item], before: place)
                // To fetch the version may take long.
                try Replacing.document(
                    place.path, for: mode, checking: { try Sending.check(item) }, by: pour)
            }
        } catch Interruption.interrupted {
            progress.clear()
            Output.say("stopped: \(place.name) is as it was")
            throw Interruption.interrupted
        }
        progress.clear()
        Output.line("\((target ?? place).name): as it was until \(version.replacedText)")
    }

    /// Moves something out of the trash, to where it was unless `target` is another place.
    static func restore(_ deleted: DeletedItem, to target: Place?) throws {
        let old = deleted.mount.point + "/" + deleted.plainInner
        let path = target?.path ?? old
        if try Files.exists(path) {
            throw Failure(
                "\(path): is there already; --to restores to another path")
        }
        if target == nil { try makeDirectories(above: deleted.plainInner, of: deleted.mount) }
        do {
            try Files.move(deleted.path, to: path)
        } catch let failure as Failure {
            // Only within a container is it a move.
            guard let target, target.scope != deleted.scope, !deleted.isDirectory else {
                throw failure
            }
            try Replacing.copy(deleted.path, to: path)
        }
        Output.line("\(target?.name ?? Self.told(path)): restored")
    }

    /// Who could not look into a directory cannot look into the one that is made for it.
    private static func makeDirectories(above inner: String, of mount: Mount) throws {
        let parent = String(inner[..<(inner.lastIndex(of: "/") ?? inner.startIndex)])
        let path = mount.point + "/" + parent
        if try parent.isEmpty || Files.exists(path) { return }
        try makeDirectories(above: parent, of: mount)
        let mode = try Files.status(of: mount.point + "/.docfs/trash/" + parent).st_mode & 0o777
        try Files.check(path, Files.with(path) { mkdir($0, mode) })
    }

    /// Relative to the working directory where it lies below that.
    static func told(_ path: String) -> String {
        // Where there is none any more, nothing lies below it.
        guard let here = try? Files.currentDirectory(), path.hasPrefix(here + "/") else {
            return path
        }
        return String(path.dropFirst(here.count + 1))
    }
}
