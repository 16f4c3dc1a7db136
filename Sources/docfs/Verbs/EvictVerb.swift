internal import ArgumentParser

/// `docfs evict`: gives the room of documents back.
struct EvictVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict",
        abstract: "Drop the bytes of documents from this computer; the container keeps them.",
        discussion: """
            The documents stay in the listing and are fetched again when they are read. What is \
            open, pinned, or has an edit that was not sent yet is never dropped. Of a directory, \
            everything below it.
            """)

    @Argument(help: "Documents and directories.", completion: .file())
    var paths: [String]

    func run() throws {
        let complaints = Complaints()
        var progress = Progress("evicted", .documents)
        var (count, bytes): (Int, UInt64) = (0, 0)
        func evict(_ item: Walk.Item) throws {
            let status = try Files.status(of: item.path)
            let document = Document(path: item.path)
            guard status.isFile, try document.download() != .none else { return }
            try document.set("download", to: "none")
            count += 1
            bytes = Size.sum(bytes, status.size)
        }
        defer {
            progress.clear()
            Output.line("\(count) evicted, \(Size.text(bytes))")
        }
        for path in paths {
            try complaints.collect {
                let place = try Place(path).inCloud()
                try Walk.each(place.path, as: place.name, complaints) { item in
                    if item.isDirectory { return true }
                    try complaints.collect { try evict(item) }
                    progress.show(UInt64(count), of: UInt64(count))
                    return false
                }
            }
        }
        try complaints.conclude()
    }
}
