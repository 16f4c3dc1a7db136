internal import ArgumentParser

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
        do {
            var places = try paths.map { try Place($0) }
            if places.isEmpty {
                let mount = try Mount.only()
                places = [Place(mount: mount, name: mount.point, path: mount.point)]
            }
            let sending = try send(places, complaints)
            if wait { try sending.finish() }
        } catch Interruption.interrupted where wait {
            Output.say("stopped waiting; what is not sent yet is sent in the background")
            throw Interruption.interrupted
        }
        try complaints.conclude()
        if wait { Output.line("all is stored") }
    }

    private func send(_ places: [Place], _ complaints: Complaints) throws -> Sending {
        var sending = Sending(places)
        for scope in try places.flatMap(scopes) {
            let scope = try scope.inCloud()
            sending.addAbove(scope)
            try Walk.each(scope.path, as: scope.name, complaints) { item in
                try complaints.collect { try sending.add(item) }
                return true
            }
            Sending.hurry(scope.path)
        }
        return sending
    }

    /// A place in a scope; of a mount, its scopes in which something waits.
    private func scopes(of place: Place) throws -> [Place] {
        if !place.components.isEmpty { return [place] }
        // Nothing waits in most scopes at most times, and a large one is not gone through.
        return try place.mount.status().scopes.filter(\.isBusy).map { scope in
            let path = place.mount.point + "/" + scope.name
            return Place(mount: place.mount, name: path, path: path)
        }
    }
}
