internal import ArgumentParser

/// `docfs unpin`: the end of `docfs pin`.
struct UnpinVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Let documents be evicted again.",
        discussion: """
            The bytes stay until their room is needed, or docfs evict drops them. What lies below \
            a pinned directory can be let go by itself; the rest of the directory stays pinned.
            """)

    @Argument(help: "Documents and directories.", completion: .file())
    var paths: [String]

    func run() throws {
        let complaints = Complaints()
        for path in paths {
            try complaints.collect {
                let place = try Place(path).inCloud()
                if try Files.status(of: place.path).isLink { return }
                let isBelowPinned = try Self.isBelowPinned(place)
                try Document(path: place.path).set(
                    "pin", to: isBelowPinned ? "unpinned" : "inherited")
            }
        }
        try complaints.conclude()
    }

    /// Whether a directory above says "pinned", the nearest that says anything.
    private static func isBelowPinned(_ place: Place) throws -> Bool {
        var components = place.components.dropLast()
        while !components.isEmpty {
            let path = place.mount.point + "/" + components.joined(separator: "/")
            let pin = try Document(path: path).pin()
            if pin != "inherited" { return pin == "pinned" }
            components = components.dropLast()
        }
        return false
    }
}
