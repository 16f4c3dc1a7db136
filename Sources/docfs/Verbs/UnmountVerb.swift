internal import ArgumentParser

/// `docfs unmount`: ends a mount, when what waits has been sent (S12).
struct UnmountVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount",
        abstract: "Send what waits, for some seconds, and end a mount.",
        discussion: """
            What is not in the containers by then is named, and sent after the next start; \
            docfs-mount --farewell says how many seconds that are. docfs flush --wait first, if \
            other devices are to have everything, however long it takes.
            """)

    @Argument(
        help: "A mount, or any path in it. (default: the only mount)", completion: .directory)
    var path: String?

    @Flag(help: "Send nothing first.")
    var now = false

    func run() throws {
        let mount = try path.map { try Place($0).mount } ?? Mount.only()
        // A mount whose daemon does not answer is ended all the same, and so is one that cannot be
        // asked for any other reason.
        guard Checkup.error(of: mount, within: 5) == 0, let time = try? mount.farewell() else {
            return try mount.unmount()
        }
        let isSent = try now || time == 0 || send(mount, for: time)
        let status = try? mount.status()
        // Nothing is left to be waited for. Otherwise the daemon sees to it.
        let isTold = isSent && status != nil && (try? mount.setFarewell(0)) != nil
        do {
            try mount.unmount()
        } catch {
            // Where this fails, its next end is quicker than it need be.
            if isTold { try? mount.setFarewell(time) }
            throw error
        }
        status?.scopes.filter { $0.left > 0 }.forEach(tell)
    }

    /// - Returns: whether everything that goes on its way was sent, or has had its time.
    private func send(_ mount: Mount, for time: Double) throws -> Bool {
        guard let before = try? mount.status() else { return false }
        for scope in before.scopes where scope.onItsWay > 0 {
            // A mount that is read-only takes no such word.
            if !Sending.hurry(mount.point + "/" + scope.name) { return false }
        }
        var progress = Progress("sending", .documents)
        defer { progress.clear() }
        let begin = Progress.now()
        var most = 0
        // What cannot be asked any more has nothing to wait for.
        while let status = try? mount.status() {
            let left = status.scopes.reduce(0) { $0 + $1.onItsWay }
            if left == 0 || Progress.now() - begin >= time { return true }
            most = max(most, left)
            progress.show(UInt64(most - left), of: UInt64(most))
            try Interruption.pause(milliseconds: 50)
        }
        return false
    }

    private func tell(_ scope: MountStatus.Scope) {
        let reason = scope.online ? "" : scope.error.map { ": " + $0 } ?? ""
        let edits = scope.left == 1 ? "1 edit is" : "\(scope.left) edits are"
        Output.line(
            "\(scope.name): \(edits) not in the container yet, and kept here\(reason)")
        for path in scope.waiting ?? [] { Output.line("  \(scope.name)/\(path)") }
        if let count = scope.waiting?.count, count < scope.left { Output.line("  …") }
    }
}
