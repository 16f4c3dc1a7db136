internal import Glibc

/// All documents of some scopes on their way to another one (S28).
///
/// Each is one rename(2), which the mount carries out as S24 says; so a stop at any moment leaves
/// each document in one scope, and what is left can be moved later.
struct MovingAll {
    let mount: Mount
    let sources: [String]
    let destination: String

    func run() throws {
        var moved = 0
        do {
            let complaints = Complaints()
            for source in sources {
                try moveAll(
                    mount.point + "/" + source, mount.point + "/" + destination, &moved, complaints)
            }
            try wait()
            Output.line("\(moved) moved to \(destination)")
            try complaints.conclude()
        } catch Interruption.interrupted {
            Output.say(
                "stopped: \(moved) moved, and arrive in the background; "
                    + "the same command goes on with the rest")
            throw Interruption.interrupted
        }
    }

    private func moveAll(
        _ source: String, _ target: String, _ moved: inout Int, _ complaints: Complaints
    ) throws {
        for entry in try Files.entries(of: source) {
            try Interruption.check()
            let path = source + "/" + entry.name
            let new = target + "/" + entry.name
            if entry.isDirectory, try Files.exists(new), try Files.isDirectory(new) {
                // Two directories of one name become one.
                try moveAll(path, new, &moved, complaints)
                try complaints.collect { try Files.check(path, Files.with(path, rmdir)) }
                continue
            }
            // A conflict version may have followed its document meanwhile.
            if Files.isGone(path) { continue }
            var isMoved = false
            try complaints.collect {
                try Files.move(path, to: Files.freeName(new))
                isMoved = true
            }
            if isMoved { moved += 1 }
        }
    }

    /// Until the stores have what came, and this computer what went.
    private func wait() throws {
        var progress = Progress("moving", .documents)
        defer { progress.clear() }
        var most = 0
        while true {
            let left = try mount.left()
            if left == 0 { return }
            most = max(most, left)
            progress.show(UInt64(most - left), of: UInt64(most))
            try Interruption.pause(milliseconds: 100)
        }
    }
}
