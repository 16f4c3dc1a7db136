internal import Glibc

/// Documents that are sent now, and waited for until their containers have what is here.
struct Sending {
    /// Documents and directories; a mount stands for all that waits in it.
    private let places: [Place]
    private var waiting: [Walk.Item] = []

    init(_ places: [Place]) { self.places = places }

    /// Notes an item that its container does not have as it is here.
    ///
    /// Its bytes are synced: so they are sent even while it is held open.
    mutating func add(_ item: Walk.Item) throws {
        let upload = try Document(path: item.path).upload()
        if upload == .uploaded || upload == .excluded { return }
        waiting.append(item)
        if upload == .waiting, !item.isDirectory { try Self.sync(item.path) }
    }

    /// Ends the settle time of what waits at a path, or below it.
    static func hurry(_ path: String) {
        // Who may not write there waits until it has settled.
        _ = Files.setAttribute("user.docfs.upload", of: path, to: "now")
    }

    /// Has the container take what is to be replaced or removed at a place, since nothing of bytes
    /// that it never had is in its versions or trash.
    ///
    /// - Throws: a sentence when it cannot have them now: nothing is to be done then.
    static func all(of items: [Walk.Item], before place: Place) throws {
        do {
            var sending = Sending([place])
            for item in items {
                try sending.add(item)
                hurry(item.path)
            }
            try sending.finish()
        } catch let failure as Failure {
            try Interruption.check()
            throw Failure(
                "\(place.name): nothing was done, since the container does not have what would be "
                    + "replaced: \(failure.sentence)")
        }
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

    /// Returns when the containers have it all.
    ///
    /// - Throws: a sentence when waiting is in vain.
    func finish() throws {
        var progress = Progress("sending", .documents)
        defer { progress.clear() }
        var most = 0
        while true {
            let left = try left()
            if left == 0 { return }
            most = max(most, left)
            progress.show(UInt64(most - left), of: UInt64(most))
            try Interruption.pause(milliseconds: 100)
        }
    }

    /// How many edits no container has yet.
    private func left() throws -> Int {
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
