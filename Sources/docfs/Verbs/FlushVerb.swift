internal import ArgumentParser
internal import Glibc

/// `docfs flush`: says whether it is safe to power off.
struct FlushVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flush",
        abstract: "Send what waits; with --wait, return when the containers have everything.",
        discussion: """
            Nothing waits for the settle time any more, and documents that are held open by a \
            program are sent as they are now. With --wait, exit status 0 means that every edit is \
            in its container: it is safe to power off. 1 means that it is not, and why.
            """)

    @Argument(
        help: "Documents and directories, or mounts. (default: the only mount)",
        completion: .file())
    var paths: [String] = []

    @Flag(help: "Wait until it is all in the containers.")
    var wait = false

    func run() throws {
        let complaints = Complaints()
        var places = try paths.map { try Place($0) }
        if places.isEmpty {
            let mount = try Mount.only()
            places = [Place(mount: mount, name: mount.point, path: mount.point)]
        }
        do {
            let waiting = try places.flatMap { try send($0, complaints) }
            if wait { try finish(places, waiting) }
        } catch Interruption.interrupted where wait {
            Output.say("stopped waiting; what is not sent yet is sent in the background")
            throw Interruption.interrupted
        }
        try complaints.conclude()
    }

    /// Syncs what is waiting in a place, so that it is sent even while it is held open, and ends
    /// the settle time.
    private func send(_ place: Place, _ complaints: Complaints) throws -> [Walk.Item] {
        var scopes = [place]
        if place.components.isEmpty {
            // Nothing waits in most scopes at most times, and a large one is not gone through.
            scopes = try place.mount.status().scopes.filter(\.isBusy).map { scope in
                let path = place.mount.point + "/" + scope.name
                return Place(mount: place.mount, name: path, path: path)
            }
        }
        var waiting: [Walk.Item] = []
        for scope in scopes {
            let scope = try scope.inCloud()
            try Walk.each(scope.path, as: scope.name, complaints) { item in
                try complaints.collect {
                    guard try Document(path: item.path).upload() == .waiting else { return }
                    waiting.append(item)
                    if !item.isDirectory { try Self.sync(item.path) }
                }
                return true
            }
            // Who may not write there waits until it has settled.
            _ = Files.setAttribute("user.docfs.upload", of: scope.path, to: "now")
        }
        return waiting
    }

    private static func sync(_ path: String) throws {
        // Special files and links are not opened: they have no bytes that wait.
        guard try Files.exists(path), try Files.status(of: path).isFile else { return }
        let file = Files.with(path) {
            Glibc.open($0, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
        }
        if file < 0 {
            let code = errno
            // What has gone has nothing to send; what may not be read is sent when it is closed.
            if code == ENOENT || code == ESTALE || code == EACCES { return }
            throw Failure(path, code)
        }
        defer { close(file) }
        while fsync(file) < 0 {
            let code = errno
            try Interruption.check()
            if code != EINTR { throw Failure(path, code) }
        }
    }

    // MARK: Waiting

    private func finish(_ places: [Place], _ waiting: [Walk.Item]) throws {
        var progress = Progress("sending", .documents)
        defer { progress.clear() }
        var most = 0
        while true {
            let left = try left(places, waiting)
            if left == 0 { break }
            most = max(most, left)
            progress.show(UInt64(most - left), of: UInt64(most))
            try Interruption.pause(milliseconds: 100)
        }
        progress.clear()
        Output.line("all is stored")
    }

    /// How many edits no container has yet; throws when waiting is in vain.
    private func left(_ places: [Place], _ waiting: [Walk.Item]) throws -> Int {
        if places.contains(where: { $0.components.isEmpty }) {
            let mounts = places.filter(\.components.isEmpty).map(\.mount)
            return try mounts.reduce(0) { try $0 + $1.left() }
        }
        var left = 0
        for item in waiting {
            let upload: Document.Upload
            do {
                upload = try Document(path: item.path).upload()
            } catch is Failure {
                // What has gone meanwhile has nothing to send; what was being replaced is asked
                // once more.
                guard try Files.exists(item.path) else { continue }
                upload = try Document(path: item.path).upload()
            }
            if upload == .error {
                let sentence = try Document(path: item.path).error()
                throw Failure("\(item.name): \(sentence)")
            }
            if upload == .waiting || upload == .uploading { left += 1 }
        }
        if left > 0 {
            for place in places { try Self.checkOnline(place) }
        }
        return left
    }

    private static func checkOnline(_ place: Place) throws {
        for scope in try place.mount.status().scopes where scope.name == place.scope {
            if !scope.online, scope.error != nil { throw scope.offline(scope.pending) }
        }
    }
}
