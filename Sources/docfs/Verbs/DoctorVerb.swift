internal import ArgumentParser
internal import Glibc

/// `docfs doctor`: what is wrong, and what to do.
struct DoctorVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong, and say what to do about it.",
        discussion: """
            Checks what mounting needs, whether each mount answers, whether its stores do and \
            keep the conditions that DocFS relies on, what failed, what waits for you, which \
            directories are packages by their names, how much room is left, and whether the \
            documents that count as being here have all their bytes. Exit status 0 when nothing is \
            wrong. docfs-mount --probe URL says what a store is able to do.

            --repair takes away mounts whose daemon has ended, and has documents fetched anew \
            whose bytes are missing here, if a container has them. What no container has is \
            never touched. It also mends change logs: a record that is damaged, and that this \
            device has read, is made good for all others. Where a container was put back to an \
            earlier state, somebody has to say what counts; it asks on a terminal, and elsewhere \
            takes --keep WORD:
              container  the container as it is; what only this computer has comes beside it, as \
            conflict versions and documents
              device     what this computer has, which is sent once more
            No bytes are lost by either.

            --recover copies every edit that no container has to a directory, under its scope and \
            path, out of the state directories of this user's mounts: also where no daemon can \
            start. Nothing there is changed. Edits of documents that were never wholly here are \
            not among them.
            """)

    @Argument(help: "Mounts. (default: all of yours)", completion: .directory)
    var paths: [String] = []

    @Flag(help: "Mend what can be mended without losing a byte.")
    var repair = false

    @Option(
        help: ArgumentHelp(
            "With --repair: what counts where a container went back.", valueName: "word"),
        completion: .list(["container", "device"]))
    var keep: LogMending.Side?

    @Option(
        help: ArgumentHelp("Copy edits that were never sent to this directory.", valueName: "dir"),
        completion: .directory)
    var recover: String?

    @Option(
        help: ArgumentHelp(
            "With --recover: what --state was for docfs-mount. (default: every state directory of "
                + "yours)", valueName: "dir"),
        completion: .directory)
    var state: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --recover: what --local was for docfs-mount. (default: "
                + "$XDG_DATA_HOME/docfs/Local)", valueName: "dir"),
        completion: .directory)
    var local: [String] = []

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        if recover == nil, !state.isEmpty || !local.isEmpty {
            throw ValidationError("--state and --local go with --recover")
        }
        if keep != nil, !repair { throw ValidationError("--keep goes with --repair") }
    }

    func run() throws {
        if let recover { return try bringOut(to: recover) }
        var findings = Checkup.machine()
        let mounts = try paths.isEmpty ? Mount.mine() : Mount.all(of: paths)
        if mounts.isEmpty {
            findings.append(
                Finding(.note, "DocFS is not mounted", advice: "docfs-mount MOUNTPOINT"))
        }
        for mount in mounts { findings += try examine(mount) }
        for finding in findings { try tell(finding) }
        if findings.contains(where: { $0.verdict == .wrong }) { throw ExitCode(1) }
    }

    private func bringOut(to target: String) throws {
        let complaints = Complaints()
        var recovery = try Recovery(to: target)
        let states =
            state.isEmpty ? [Self.home("XDG_STATE_HOME", ".local/state") + "/docfs"] : state
        // Documents that were moved from Local keep their files there, out of sight.
        let locals =
            local.isEmpty ? [Self.home("XDG_DATA_HOME", ".local/share") + "/docfs/Local"] : local
        for directory in states + locals.map({ $0 + "/.docfs" }) {
            // The usual places need not be there. What cannot be looked through for any other
            // reason is told: edits may be in it.
            let isMissing = Files.with(directory, { access($0, F_OK) }) < 0 && errno == ENOENT
            if isMissing, !state.contains(directory) { continue }
            try complaints.collect { try recovery.search(directory, complaints) }
        }
        Output.line(
            "\(recovery.count) edits that no container has are in \(target)")
        try complaints.conclude()
    }

    /// A directory of the XDG base directory specification.
    private static func home(_ variable: String, _ otherwise: String) -> String {
        if let value = Output.Environment[variable], value.hasPrefix("/") { return value }
        return (Output.Environment["HOME"] ?? "") + "/" + otherwise
    }

    private func examine(_ mount: Mount) throws -> [Finding] {
        let name = mount.point
        switch Checkup.error(of: mount, within: 5) {
        case 0?:
            let mended = repair ? try LogMending(mount: mount, keep: keep).findings() : []
            return [Finding(.well, "\(name): answers")] + mended
                + (try Checkup.containers(of: mount))
                + (try BodyCheck(mount: mount, repairs: repair).findings())
        case ENOTCONN?:
            if repair {
                try mount.unmount(lazily: true)
                return [
                    Finding(
                        .note, "\(name): its daemon had ended; the mount was taken away",
                        advice: "docfs-mount \(name)")
                ]
            }
            return [
                Finding(
                    .wrong, "\(name): its daemon has ended",
                    advice: "docfs-mount \(name) mounts it again, with every edit")
            ]
        case let code?: return [Finding(.wrong, "\(name): \(Failure.sentence(code))")]
        case nil:
            return [
                Finding(
                    .wrong, "\(name): does not answer within 5 seconds",
                    advice: "its log says why; end the daemon and mount again: every edit is kept")
            ]
        }
    }

    private func tell(_ finding: Finding) throws {
        if json { return try Output.json(finding) }
        let mark =
            switch finding.verdict {
            case .well: Output.coloured("well ", .green)
            case .note: Output.coloured("note ", .yellow)
            case .wrong: Output.coloured("WRONG", .red)
            }
        Output.line("\(mark)  \(finding.sentence)")
        if let advice = finding.advice { Output.line("       \(advice)") }
    }
}
