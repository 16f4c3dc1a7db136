internal import ArgumentParser

/// `docfs download`: brings documents here.
struct DownloadVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Bring documents to this computer, and wait until they are here.",
        discussion: """
            Of a directory, everything below it. Ctrl-C stops waiting; documents whose download \
            has begun may still arrive. docfs pin keeps them here for good.
            """)

    @Argument(help: "Documents and directories.", completion: .file())
    var paths: [String]

    func run() throws {
        let complaints = Complaints()
        var download = Downloading()
        for path in paths {
            try complaints.collect { try download.add(try Place(path).inCloud(), complaints) }
        }
        try download.run(complaints)
        try complaints.conclude()
    }
}
