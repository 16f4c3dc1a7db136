internal import ArgumentParser

/// `docfs pin`: documents that are to be here always.
struct PinVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep documents on this computer, and everything below directories.",
        discussion: """
            What is not here yet is downloaded now. Pinned documents are never evicted. What is \
            below a pinned directory is pinned with it.
            """)

    @Argument(help: "Documents and directories.", completion: .file())
    var paths: [String]

    func run() throws {
        let complaints = Complaints()
        var download = Downloading()
        for path in paths {
            try complaints.collect {
                let place = try Place(path).inCloud()
                // What a link leads to may be anywhere; it is always here itself.
                if try Files.status(of: place.path).isLink { return }
                try Document(path: place.path).set("pin", to: "pinned")
                try download.add(place, complaints)
            }
        }
        try download.run(complaints)
        try complaints.conclude()
    }
}
