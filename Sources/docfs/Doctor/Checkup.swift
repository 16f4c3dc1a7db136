internal import CControl
internal import Glibc
internal import Synchronization

/// The checks of `docfs doctor`, each a function to findings.
enum Checkup {
    // MARK: The machine

    static func machine() -> [Finding] {
        var findings: [Finding] = []
        if access("/dev/fuse", F_OK) != 0 {
            findings.append(
                Finding(
                    .wrong, "there is no /dev/fuse",
                    advice: "modprobe fuse, or give the container the device"))
        } else if access("/dev/fuse", R_OK | W_OK) != 0 {
            findings.append(
                Finding(
                    .wrong, "/dev/fuse may not be opened by you",
                    advice: "chmod 0666 /dev/fuse, as distributions ship it"))
        } else {
            findings.append(Finding(.well, "/dev/fuse can be opened"))
        }
        if geteuid() != 0, !Child.exists("fusermount3") {
            findings.append(
                Finding(
                    .wrong, "fusermount3 is not in the PATH",
                    advice: "install the package fuse3: who is not root mounts with it"))
        }
        if control_clock_is_set() == 0 {
            findings.append(
                Finding(
                    .note, "the clock is not set by a time server",
                    advice: "no document depends on it; times in names of conflict versions may "
                        + "be wrong"))
        }
        return findings
    }

    // MARK: A mount

    /// Whether a mount answers, asked by a thread of its own: one that does not may never return.
    static func error(of mount: Mount, within seconds: Int) -> Int32? {
        let answer = Answer()
        var thread = pthread_t()
        let question = Unmanaged.passRetained(Question(path: mount.point + "/.docfs", answer))
        pthread_create(
            &thread, nil,
            { argument in
                let question = Unmanaged<Question>.fromOpaque(argument!).takeRetainedValue()
                var status = stat()
                let result = Files.with(question.path) { stat($0, &status) }
                question.answer.code.store(result == 0 ? 0 : errno, ordering: .releasing)
                return nil
            }, question.toOpaque())
        pthread_detach(thread)
        for _ in 0..<seconds * 20 {
            let code = answer.code.load(ordering: .acquiring)
            if code >= 0 { return code }
            poll(nil, 0, 50)
        }
        return nil
    }

    private final class Answer: Sendable {
        /// -1 until there is one.
        let code = Atomic<Int32>(-1)
    }

    private final class Question: Sendable {
        let path: String
        let answer: Answer

        init(path: String, _ answer: Answer) {
            self.path = path
            self.answer = answer
        }
    }

    static func containers(of mount: Mount) throws -> [Finding] {
        let status = try mount.status()
        let notes = (status.notes ?? []).map { Finding(.note, "\(mount.point): \($0)") }
        return notes
            + status.scopes.flatMap { scope in
                [reachability(of: scope)] + work(of: scope, mount)
            } + (try KnownPackage.findings(in: mount, status)) + space(of: mount)
    }

    private static func reachability(of scope: MountStatus.Scope) -> Finding {
        switch (scope.online, scope.error) {
        case (true, nil): Finding(.well, "\(scope.name): the store answers")
        case (true, let problem?): Finding(.note, "\(scope.name): \(problem)")
        case (false, let problem?) where problem.hasPrefix("the store refused the credentials"):
            Finding(
                .wrong, "\(scope.name): \(problem)",
                advice: "put keys that may read and write there into the file of keys, which is "
                    + "read again, or mount anew with keys in the environment; every edit is kept")
        case (false, let problem):
            Finding(
                .wrong, "\(scope.name): is offline\(problem.map { ": " + $0 } ?? "")",
                advice: scope.advice ?? LogMending.advice(for: scope)
                    ?? "edits are kept here and sent when the store is back; look whether its "
                    + "address, its folder or its keys have changed")
        }
    }

    private static func work(of scope: MountStatus.Scope, _ mount: Mount) -> [Finding] {
        var findings: [Finding] = []
        if let guarantee = scope.guarantee {
            findings.append(Finding(.note, "\(scope.name): \(guarantee)"))
        } else if scope.online {
            findings.append(
                Finding(.well, "\(scope.name): the store lets no change undo another unseen"))
        }
        if let alone = scope.alone {
            findings.append(
                Finding(
                    .note, "\(scope.name): \(alone)",
                    advice: "docfs-mount --cloud NAME=URL shows a folder that computers share, or "
                        + "a bucket, beside it; what is renamed from one into the other moves"))
        }
        if let unseen = scope.unseen {
            findings.append(
                Finding(
                    .note, "\(scope.name): changes by other programs are found late: \(unseen)",
                    advice: "a line in a file of /etc/sysctl.d keeps it; DocFS tries again by "
                        + "itself"))
        }
        for line in scope.unlisted ?? [] {
            findings.append(
                Finding(
                    .note, "\(scope.name)/\(line)",
                    advice: "nothing in it is shown until this user may list it"))
        }
        for failure in scope.failures {
            findings.append(
                Finding(
                    .wrong, "\(scope.name)/\(failure.path): \(failure.error)",
                    advice: "it is kept here, and tried again from time to time"))
        }
        if scope.conflicts > 0 {
            findings.append(
                Finding(
                    .note, "\(scope.name): \(scope.conflicts) conflict versions wait for you",
                    advice: "docfs resolve \(mount.point)"))
        }
        for change in scope.setAside ?? [] {
            findings.append(
                Finding(
                    .note, "\(scope.name): set aside: \(change)",
                    advice: "no device takes it; find out who writes this container beside DocFS"))
        }
        if scope.heldDeletes > 0 {
            findings.append(
                Finding(
                    .wrong, "\(scope.name): \(scope.heldDeletes) deletes are held back",
                    advice: "docfs status --confirm-deletes, if they are meant"))
        }
        return findings
    }

    private static func space(of mount: Mount) -> [Finding] {
        var room = statvfs()
        let path = mount.point + "/Local"
        guard Files.with(path, { statvfs($0, &room) }) == 0 else { return [] }
        let free = UInt64(room.f_bavail) * UInt64(room.f_frsize)
        if free > 1 << 30 {
            return [Finding(.well, "\(Size.text(free)) are free on this computer")]
        }
        return [
            Finding(
                .wrong, "only \(Size.text(free)) are free on this computer",
                advice: "docfs evict DIRECTORY drops bytes that the container has")
        ]
    }
}
