internal import ArgumentParser
internal import Glibc

/// Mends change logs that are not what was read of them, or that others cannot read (S23).
struct LogMending {
    /// What counts where a container's change log went back.
    enum Side: String, CaseIterable, ExpressibleByArgument {
        /// The container as it is; what only this computer has comes beside it.
        case container
        /// What this computer has, which is sent once more.
        case device
    }

    let mount: Mount
    /// `nil`: to be asked for on a terminal.
    let keep: Side?

    /// Mends what can be mended.
    ///
    /// Returns when that is done, or has taken ``patience``.
    func findings() throws -> [Finding] {
        try mount.status().scopes.flatMap { (scope) throws -> [Finding] in
            // What is damaged may be mended without anybody being asked.
            var (found, now) = ([Finding](), scope)
            if scope.log == "damaged" || scope.log == nil && scope.online {
                found = try mend(scope.name, "check")
                now = try status(of: scope.name) ?? scope
            }
            guard now.log != nil, let side = try choice(for: now) else { return found }
            return try mend(scope.name, side.rawValue)
        }
    }

    private func status(of name: String) throws -> MountStatus.Scope? {
        try mount.status().scopes.first { $0.name == name }
    }

    /// Advice for a scope whose log is in trouble; `nil` where it is not.
    static func advice(for scope: MountStatus.Scope) -> String? {
        switch scope.log {
        case nil: nil
        case "damaged":
            "docfs doctor --repair on a device that has read that record mends it; where there "
                + "is none, docfs doctor --repair --keep container takes everything up from the "
                + "documents"
        default:
            "docfs doctor --repair --keep container takes the container as it is, and puts what "
                + "only this computer has beside it; --keep device sends what this computer has "
                + "once more"
        }
    }

    private func choice(for scope: MountStatus.Scope) throws -> Side? {
        if let keep { return keep }
        guard isatty(STDIN_FILENO) == 1, Output.showsProgress else { return nil }
        Output.say("\(Shown(scope.name)) is offline: \(Shown(scope.error ?? ""))")
        Output.say("  c  take the container as it is; what only this computer has comes beside it")
        Output.say("  d  send what this computer has once more; the container's goes to versions")
        Output.sayPart("Which? [c/d/N] ")
        let key = try Keys.read()
        Output.say("")
        switch key {
        case "c", "C": return .container
        case "d", "D": return .device
        default: return nil
        }
    }

    /// In seconds; what takes longer goes on without anybody waiting for it.
    private static let patience = 300

    private func mend(_ name: String, _ word: String) throws -> [Finding] {
        let code = Files.setAttribute("user.docfs.mend-log", of: mount.point + "/" + name, to: word)
        // That is for the mount's owner, and older daemons know nothing of it.
        if word == "check", code != 0 { return [] }
        if code != 0 { throw Failure(name, code) }
        for _ in 0..<Self.patience * 10 {
            try Interruption.check()
            if let scope = try status(of: name), scope.mending != true { return finding(scope) }
            poll(nil, 0, 100)
        }
        return [
            Finding(
                .note, "\(name): its change log is still being mended",
                advice: "docfs status says when that is done")
        ]
    }

    private func finding(_ scope: MountStatus.Scope) -> [Finding] {
        if let mended = scope.mended { return [Finding(.note, "\(scope.name): \(mended)")] }
        if scope.log != nil { return [] }
        return [Finding(.well, "\(scope.name): the change log can be read by every device")]
    }
}
