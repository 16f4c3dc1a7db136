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

    /// How long what failed before is waited for, since it is tried once more, in seconds.
    private static let retryTime = 1.0

    func run() throws {
        let mount = try path.map { try Place($0).mount } ?? Mount.only()
        // A mount whose daemon does not answer is ended all the same, and so is an older one's.
        guard Checkup.error(of: mount, within: 5) == 0, let time = try mount.farewell() else {
            return try mount.unmount()
        }
        if !now, time > 0 { try send(mount, for: time) }
        let left = try mount.status().scopes.filter { $0.left > 0 }
        // It has been said.
        try mount.setFarewell(0)
        do {
            try mount.unmount()
        } catch {
            try mount.setFarewell(time)
            throw error
        }
        left.forEach(tell)
    }

    private func send(_ mount: Mount, for time: Double) throws {
        for scope in try mount.status().scopes where scope.isBusy {
            Sending.hurry(mount.point + "/" + scope.name)
        }
        var progress = Progress("sending", .documents)
        defer { progress.clear() }
        let begin = Progress.now()
        var most = 0
        while true {
            let passed = Progress.now() - begin
            let left = try mount.status().scopes.reduce(0) {
                $0 + $1.onItsWay(withFailures: passed < Self.retryTime)
            }
            if left == 0 || passed >= time { return }
            most = max(most, left)
            progress.show(UInt64(most - left), of: UInt64(most))
            try Interruption.pause(milliseconds: 20)
        }
    }

    private func tell(_ scope: MountStatus.Scope) {
        let reason = scope.online ? "" : scope.error.map { ": " + $0 } ?? ""
        let edits = scope.left == 1 ? "1 edit is" : "\(scope.left) edits are"
        Output.line(
            "\(scope.name): \(edits) not in the container yet\(reason); the next start sends them")
        for path in scope.waiting ?? [] { Output.line("  \(scope.name)/\(path)") }
        if let count = scope.waiting?.count, count < scope.left { Output.line("  …") }
    }
}
