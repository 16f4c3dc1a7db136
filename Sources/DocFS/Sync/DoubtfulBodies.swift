/// Bodies in the store that may be those that the log has, under other revisions: copied with the
/// whole container, or only touched.
///
/// Each is read once, and its digest tells.
struct DoubtfulBodies: Sendable {
    private struct Doubt {
        var body: Body
        var state = State.queued
        /// How often it was another one by the time it had been read.
        var changes = 0
        /// How often the store was out of reach before it had been read.
        var failures = 0
    }

    private enum State {
        case queued, beingRead, failed
        case answered(Answer)
    }

    enum Answer: Sendable {
        case digest(Digest)
        /// It cannot be read, or is never the same for long enough.
        case unknown
    }

    /// One that changes so often while it is read is taken as another one.
    private static let patience = 2
    /// So is one that so often fails as if the store were out of reach: its disk may be damaged
    /// just there.
    private static let attempts = 4
    /// So many are read at once.
    private static let readAtOnce = 4

    private var doubts: [ItemPath: Doubt] = [:]
    /// May name some that are read already, or forgotten.
    private var queue: ArraySlice<ItemPath> = []
    private var reading = 0

    /// What is known of the body at `path`, told once; `nil` when it is to be read first.
    mutating func answer(for path: ItemPath, _ body: Body) -> Answer? {
        guard var doubt = doubts[path] else {
            doubts[path] = Doubt(body: body)
            queue.append(path)
            return nil
        }
        switch doubt.state {
        case .answered(let answer) where doubt.body.revision == body.revision:
            doubts[path] = nil
            return answer
        case .answered:
            doubt.body = body
            doubt.changes += 1
            if doubt.changes >= Self.patience {
                doubts[path] = nil
                return .unknown
            }
        case .failed: doubt.body = body
        case .queued:
            doubts[path]?.body = body
            return nil
        // What is under way comes first, also when it is of another body by now.
        case .beingRead: return nil
        }
        doubt.state = .queued
        doubts[path] = doubt
        queue.append(path)
        return nil
    }

    /// Nobody doubts any more what is at `path`.
    mutating func forget(_ path: ItemPath) { doubts[path] = nil }

    /// The next that is to be read; `nil` when there is none, or enough are being read.
    mutating func next() -> (path: ItemPath, body: Body)? {
        while reading < Self.readAtOnce, let path = queue.popFirst() {
            guard let doubt = doubts[path], case .queued = doubt.state else { continue }
            doubts[path]?.state = .beingRead
            reading += 1
            return (path, doubt.body)
        }
        return nil
    }

    /// `body`, which was at `path`, was read; `nil` when the store was out of reach.
    mutating func finish(_ path: ItemPath, _ body: Body, with answer: Answer?) {
        reading -= 1
        // Another one there, which is doubted since this one was forgotten, is not answered by it.
        guard var doubt = doubts[path], case .beingRead = doubt.state,
            doubt.body.revision == body.revision
        else { return }
        if let answer {
            doubt.state = .answered(answer)
        } else {
            doubt.failures += 1
            doubt.state = doubt.failures < Self.attempts ? .failed : .answered(.unknown)
        }
        doubts[path] = doubt
    }
}
