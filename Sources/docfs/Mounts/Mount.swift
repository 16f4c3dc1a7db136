internal import FoundationEssentials
internal import Glibc

/// One mount of DocFS, found by a path in it.
///
/// Everything that `docfs` knows and does goes through it: whoever may not open a file may not
/// control it either.
struct Mount: Equatable {
    /// Where it is mounted.
    let point: String

    // MARK: Finding

    /// The mount that the working directory lies in, else the only one of the caller's.
    static func only() throws -> Mount {
        let table = try MountTable.current()
        // Where the working directory has gone, it lies in no mount.
        if let here = try? Files.currentDirectory(), let entry = table.entry(of: here),
            entry.isDocFS
        {
            return Mount(point: entry.point)
        }
        let mine = try Self.mine()
        switch mine.count {
        case 1: return mine[0]
        case 0: throw Failure("DocFS is not mounted; docfs-mount MOUNTPOINT mounts it")
        default:
            let points = mine.map(\.point).joined(separator: ", ")
            throw Failure("DocFS is mounted at \(points): name one, or a document in it")
        }
    }

    /// All mounts of the caller's; root's are everybody's.
    static func mine() throws -> [Mount] {
        try MountTable.current().entries.filter {
            $0.isDocFS && ($0.user == getuid() || getuid() == 0 || $0.user == nil)
        }.map { Mount(point: $0.point) }
    }

    /// The mounts that these paths name, or the only one.
    static func all(of paths: [String]) throws -> [Mount] {
        if paths.isEmpty { return [try only()] }
        var mounts: [Mount] = []
        for path in paths {
            let mount = try Place(path).mount
            if !mounts.contains(mount) { mounts.append(mount) }
        }
        return mounts
    }

    // MARK: Its control directory

    /// `.docfs/NAME`.
    func control(_ name: String) -> String { point + "/.docfs/" + name }

    /// What one of the texts of `.docfs` says.
    func report(_ name: String) throws -> [UInt8] {
        do {
            return try Document.bytes(of: control(name))
        } catch let failure as Failure {
            guard try mayBeAsked() else {
                throw Failure("\(point): only its owner learns how it is")
            }
            throw Failure("no answer from the mount: \(failure.sentence)")
        }
    }

    /// Whether it tells the caller how it is: it tells its owner, and root.
    func mayBeAsked() throws -> Bool {
        let path = control("status.json")
        if Files.with(path, { access($0, R_OK) }) == 0 { return true }
        let code = errno
        if code == EACCES { return false }
        throw Failure("no answer from the mount: \(Failure(path, code).sentence)")
    }

    func status() throws -> MountStatus {
        do {
            return try JSONDecoder().decode(
                MountStatus.self, from: Data(try report("status.json")))
        } catch let error as DecodingError {
            throw Failure("\(control("status.json")): makes no sense here: \(error)")
        }
    }

    /// How many edits and moves no store has yet.
    ///
    /// - Parameters:
    ///   - name: the only scope that is meant.
    ///   - isAfterRetry: whether what failed has been tried since it was to be sent.
    /// - Throws: why, when to wait for them is in vain.
    func left(in name: String? = nil, isAfterRetry: Bool = true) throws -> Int {
        var left = 0
        for scope in try status().scopes where scope.isBusy && (name ?? scope.name) == scope.name {
            if isAfterRetry, let failure = scope.failures.first {
                throw Failure("\(scope.name)/\(failure.path): \(failure.error)")
            }
            let count = scope.left
            // Without a reason it is not known yet: right after the start.
            if !scope.online, scope.error != nil, count > 0 { throw scope.offline(count) }
            if scope.heldDeletes > 0 {
                throw Failure(
                    "\(scope.name): \(scope.heldDeletes) deletes are held back; "
                        + "docfs status says what to do")
            }
            left += count
        }
        return left
    }

    /// The scope that new documents are made in; `nil` until somebody has chosen one (S28).
    func preference() throws -> String? {
        guard let name = try Files.attribute("user.docfs.prefer", of: point) else {
            throw Failure("\(point): its daemon is older than docfs; mount it anew")
        }
        return name.isEmpty ? nil : name
    }

    /// The scope that they are made in until then: the first container.
    func usualScope() throws -> String { try status().scopes.first?.name ?? "Local" }

    func prefer(_ scope: String) throws {
        let code = Files.setAttribute("user.docfs.prefer", of: point, to: scope)
        if code != 0 { throw Failure(point, code) }
    }

    /// Each conflict version, and the document that it belongs to, `nil` when that has gone.
    func conflicts() throws -> [(document: String?, sibling: String)] {
        let lines = ByteText.text(try report("conflicts")).split(separator: "\n")
        return try lines.compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count == 2, !fields[1].isEmpty else { return nil }
            let document: String? = try fields[0].isEmpty ? nil : path(String(fields[0]))
            return (document, try path(String(fields[1])))
        }
    }

    /// The documents that are open, and whose conflict versions the others show already: here they
    /// are shown when those are closed.
    func openConflicts() throws -> [String] {
        let lines = ByteText.text(try report("conflicts")).split(separator: "\n")
        return try lines.filter { $0.hasSuffix("\t") }.map { try path(String($0.dropLast())) }
    }

    /// The absolute path of what a report calls `path`.
    private func path(_ path: String) throws -> String {
        let plain = point + "/" + path
        return try Files.exists(plain) ? plain : point + "/" + ByteText.decoded(path)
    }

    // MARK: Ending

    /// For how many seconds the end of the mount waits for what is being sent (S12).
    func farewell() throws -> Double? {
        try Files.attribute("user.docfs.farewell", of: point).flatMap { Double($0) }
    }

    func setFarewell(_ seconds: Double) throws {
        let code = Files.setAttribute("user.docfs.farewell", of: point, to: "\(seconds)")
        if code != 0 { throw Failure(point, code) }
    }

    /// - Parameter lazily: even while something in it is open.
    func unmount(lazily: Bool = false) throws {
        if try Child.run(["fusermount3", lazily ? "-uz" : "-u", "--", point]) != 0 {
            throw Failure("\(point): is still mounted; is a document open?")
        }
    }
}
