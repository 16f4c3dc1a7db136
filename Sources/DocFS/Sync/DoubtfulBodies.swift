/// Bodies in the store that may be those that the log has, under other revisions: copied with the
/// whole container, or only touched. Each is read once, and its digest tells.
struct DoubtfulBodies: Sendable {
    private struct Doubt {
        var body: Body
        /// `nil` until it was read.
        var answer: Answer?
        /// How often it was another one by the time it had been read.
        var changes = 0
    }

    enum Answer: Sendable {
        case digest(Digest)
        /// It cannot be read, or is never the same for long enough.
        case unknown
    }

    /// One that changes so often while it is read is taken as another one.
    private static let patience = 2
    /// So many are read at once.
    private static let readAtOnce = 4

    private var doubts: [ItemPath: Doubt] = [:]
    private var queue: ArraySlice<ItemPath> = []
    private var reading = 0

    /// What is known of the body at `path`; `nil` when it is to be read first.
    mutating func answer(for path: ItemPath, _ body: Body) -> Answer? {
        guard var doubt = doubts[path] else {
            doubts[path] = Doubt(body: body)
            queue.append(path)
            return nil
        }
        // What is under way comes first, also when it is of another body by now.
        guard let answer = doubt.answer else { return nil }
        if doubt.body.revision != body.revision {
            doubt.changes += 1
            if doubt.changes < Self.patience {
                (doubt.body, doubt.answer) = (body, nil)
                doubts[path] = doubt
                queue.append(path)
                return nil
            }
        }
        doubts[path] = nil
        return doubt.body.revision == body.revision ? answer : .unknown
    }

    /// Nobody doubts any more what is at `path`.
    mutating func forget(_ path: ItemPath) { doubts[path] = nil }

    /// The next that is to be read; `nil` when there is none, or enough are being read.
    mutating func next() -> (path: ItemPath, body: Body)? {
        while reading < Self.readAtOnce, let path = queue.popFirst() {
            guard let doubt = doubts[path] else { continue }
            reading += 1
            return (path, doubt.body)
        }
        return nil
    }

    /// The one at `path` was read; without an answer it is as if it had never been doubted.
    mutating func finish(_ path: ItemPath, with answer: Answer?) {
        reading -= 1
        if let answer { doubts[path]?.answer = answer } else { doubts[path] = nil }
    }
}
