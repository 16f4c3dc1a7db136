/// Downloads of many documents, some at a time, with progress.
struct Downloading {
    private struct Wanted {
        let document: Document
        let name: String
        /// Bytes.
        let size: UInt64
    }

    /// How many documents are asked for at once.
    private static let atOnce = 32

    private var wanted: [Wanted] = []
    private var total: UInt64 = 0

    /// What is not here of a place, and of everything below it.
    mutating func add(_ place: Place, _ complaints: Complaints) throws {
        var found: [Wanted] = []
        try Walk.each(place.path, as: place.name, complaints) { item in
            if item.isDirectory { return true }
            let document = Document(path: item.path)
            let status = try Files.status(of: item.path)
            if status.isFile, try document.download() != .current {
                found.append(Wanted(document: document, name: item.name, size: status.size))
            }
            return false
        }
        wanted += found
        total = found.reduce(total) { Size.sum($0, $1.size) }
    }

    /// Fetches it all, and says what was done.
    func run(_ complaints: Complaints) throws {
        var progress = Progress("downloading", .bytes)
        var rest = wanted[...]
        var moving: [Wanted] = []
        var (count, done): (Int, UInt64) = (0, 0)
        do {
            while !rest.isEmpty || !moving.isEmpty {
                while moving.count < Self.atOnce, let next = rest.popFirst() {
                    try complaints.collect {
                        try next.document.set("download", to: "current")
                        moving.append(next)
                    }
                }
                var partly: UInt64 = 0
                var still: [Wanted] = []
                for one in moving {
                    try complaints.collect {
                        if try one.document.download() == .current {
                            count += 1
                            done = Size.sum(done, one.size)
                            return
                        }
                        let error = try one.document.error()
                        if !error.isEmpty { throw Failure("\(one.name): \(error)") }
                        let part = one.size / 100 * UInt64(try one.document.percent())
                        partly = Size.sum(partly, part)
                        still.append(one)
                    }
                }
                moving = still
                progress.show(Size.sum(done, partly), of: total)
                if !moving.isEmpty { try Interruption.pause(milliseconds: 50) }
            }
        } catch Interruption.interrupted {
            progress.clear()
            Output.say("stopped: \(count) of \(wanted.count) documents are here")
            throw Interruption.interrupted
        }
        progress.clear()
        let size = Size.text(done)
        Output.line(wanted.isEmpty ? "all of it is here already" : "\(count) downloaded, \(size)")
    }
}
