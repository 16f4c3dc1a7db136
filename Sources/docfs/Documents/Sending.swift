internal import Glibc

/// Documents that are sent now, and waited for until their containers have what is here.
struct Sending {
    private let places: [Place]
    /// Whether mounts and containers' directories are all that there is.
    private let isWhole: Bool
    private var waiting: [Walk.Item] = []
    /// Directories that what waits is in.
    private var above: [Walk.Item] = []
    /// Links have no state of their own to ask for: they count with all that waits.
    private var hasLinks = false

    /// Looks, a tenth of a second apart, until what waits is hurried once more; each time twice as
    /// many.
    ///
    /// It may have been written since, and what failed before has been tried again by then.
    private static let firstRound = 20
    /// How many items are hurried so.
    private static let mostHurried = 100
    /// How many looks those take who may not ask the mount what is the matter.
    private static let mostBlindLooks = 300

    /// - Parameter places: documents and directories; a mount or a container's directory stands for
    ///   all that waits in it, deletes too.
    init(_ places: [Place]) {
        self.places = places
        isWhole = places.allSatisfy(\.isWhole)
    }

    /// Notes an item that its container does not have as it is here.
    ///
    /// Its bytes are synced: so they are sent even while it is held open.
    mutating func add(_ item: Walk.Item) throws {
        if let upload = try Document(path: item.path).uploadOfPlain() {
            try add(item, upload)
        } else {
            hasLinks = true
        }
    }

    private mutating func add(_ item: Walk.Item, _ upload: Document.Upload) throws {
        if upload.isDone { return }
        waiting.append(item)
        if !item.isDirectory { try Self.sync(item.path) }
    }

    /// Notes directories above what waits: it waits for them too.
    mutating func addAbove(_ place: Place) {
        // What may not be asked says nothing.
        above += place.above.filter {
            (try? Document(path: $0.path).uploadOfPlain())?.isDone == false
        }
    }

    /// Ends the settle time of what waits at a path, or below it.
    ///
    /// - Returns: whether it has: who may not write there waits until it has settled.
    @discardableResult
    static func hurry(_ path: String) -> Bool {
        Files.setAttribute("user.docfs.upload", of: path, to: "now") == 0
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

    // MARK: Before something is replaced

    /// Has the container take what is to be replaced or removed at a place, since nothing of bytes
    /// that it never had is in its versions or trash.
    ///
    /// - Throws: a sentence when it cannot have them now: nothing is to be done then.
    static func all(of items: [Walk.Item], before place: Place) throws {
        do {
            var sending = Sending([place])
            for item in items {
                try sending.add(item, try Document(path: item.path).upload())
                hurry(item.path)
            }
            try sending.finish()
        } catch let failure as Failure {
            try Interruption.check()
            throw Failure(
                "\(place.name): nothing was done, for what is to be replaced has to be stored "
                    + "first: \(failure.sentence)")
        }
    }

    /// Fails where the container does not have an item as it is now.
    static func check(_ item: Walk.Item) throws {
        if try Document(path: item.path).upload().isDone { return }
        throw Failure("\(item.name): has changed meanwhile; look at it again")
    }

    // MARK: Waiting

    /// Returns when the containers have it all.
    ///
    /// - Throws: a sentence when waiting is in vain.
    func finish() throws {
        var progress = Progress("sending", .documents)
        defer { progress.clear() }
        var (most, looks, round) = (0, 0, Self.firstRound)
        while true {
            let left = try left(isAfterRetry: looks > Self.firstRound)
            if left == 0 { return }
            most = max(most, left)
            progress.show(UInt64(most - left), of: UInt64(most))
            try Interruption.pause(milliseconds: 100)
            looks += 1
            if looks == round {
                round *= 2
                try hurryAll()
            }
            if looks == Self.mostBlindLooks, try !places.allSatisfy({ try $0.mount.mayBeAsked() }) {
                throw Failure("it is not stored yet, and only the mount's owner learns why")
            }
        }
    }

    private func hurryAll() throws {
        var rest = Self.mostHurried
        for item in waiting where !item.isDirectory && rest > 0 {
            guard let upload = try? Document(path: item.path).upload(), !upload.isDone else {
                continue
            }
            // What has gone, or cannot be opened now, is told where it is asked for.
            do { try Self.sync(item.path) } catch is Failure {}
            Self.hurry(item.path)
            rest -= 1
        }
        for place in places { Self.hurry(place.path) }
    }

    /// How many edits no container has yet.
    ///
    /// - Parameter isAfterRetry: whether what failed has been tried since it was to be sent.
    private func left(isAfterRetry: Bool) throws -> Int {
        if isWhole {
            return try places.reduce(0) {
                try $0 + $1.mount.left(in: $1.scope, isAfterRetry: isAfterRetry)
            }
        }
        var (left, gone) = (0, 0)
        for item in waiting {
            guard let upload = try Self.upload(of: item) else {
                gone += 1
                continue
            }
            if upload == .error, isAfterRetry { throw try Self.failure(of: item) }
            if !upload.isDone { left += 1 }
        }
        if left > 0, isAfterRetry {
            for item in above where (try? Self.upload(of: item)) == .error {
                throw try Self.failure(of: item)
            }
        }
        for place in places {
            // Of deletes, and of what has moved meanwhile, no name tells.
            if place.isWhole || left == 0 && (gone > 0 || hasLinks) {
                left = max(
                    left,
                    try place.mount.left(
                        in: gone > 0 ? nil : place.scope, isAfterRetry: isAfterRetry))
            } else if left > 0 {
                try checkOnline(place)
            }
        }
        return left
    }

    private static func failure(of item: Walk.Item) throws -> Failure {
        Failure("\(item.name): \(try Document(path: item.path).error())")
    }

    /// `nil` for what has gone meanwhile.
    private static func upload(of item: Walk.Item) throws -> Document.Upload? {
        do {
            return try Document(path: item.path).upload()
        } catch is Failure {
            // What was being replaced is asked once more.
            guard try Files.exists(item.path) else { return nil }
            return try Document(path: item.path).upload()
        }
    }

    private func checkOnline(_ place: Place) throws {
        guard try place.mount.mayBeAsked() else { return }
        for scope in try place.mount.status().scopes where scope.name == place.scope {
            if !scope.online, scope.error != nil { throw scope.offline(scope.left) }
        }
    }
}
