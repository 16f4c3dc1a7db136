internal import Synchronization

/// One open `events`: what happens from the moment of opening on, a line each.
///
/// A read waits until there is something (S29). Who reads too slowly is told how many events were
/// missed. Any thread; the lock is taken before the bulletin's, and held while a waiting read is
/// answered, so that the bytes of a read that was cancelled meanwhile go to the next one.
final class EventReader: Sendable {
    private struct Waiter {
        let read: PendingRead
        let length: Int
    }

    private struct State {
        /// Number of the next event to be told.
        var next: UInt64
        /// Bytes of lines that no read has had.
        var rest: [UInt8] = []
        var waiters: [Waiter] = []
        var wake: (@Sendable () -> Void)?
    }

    private let bulletin: Bulletin
    private let names: [Int64: String]
    private let state: Mutex<State>

    /// - Parameter names: what the scopes are called, by id.
    init(bulletin: Bulletin, names: [Int64: String]) {
        self.bulletin = bulletin
        self.names = names
        state = Mutex(State(next: bulletin.nextNumber))
    }

    func read(length: Int, isNonBlocking: Bool) throws(DocFSError) -> ReadAnswer {
        try state.withLock { (state) throws(DocFSError) in
            if state.waiters.isEmpty {
                let bytes = take(length, from: &state)
                if !bytes.isEmpty || length == 0 { return .bytes(bytes) }
            }
            if isNonBlocking { throw .wouldBlock }
            let read = PendingRead()
            read.whenCancelled { [weak self, weak read] in
                if let self, let read { self.remove(read) }
            }
            state.waiters.append(Waiter(read: read, length: length))
            return .waiting(read)
        }
    }

    private func remove(_ read: PendingRead) {
        state.withLock { $0.waiters.removeAll { $0.read === read } }
    }

    /// Whether there is something to be read; if not, `wake` is called as soon as there is.
    func poll(wake: (@Sendable () -> Void)?) -> Bool {
        state.withLock { state in
            state.wake = nil
            if isReadable(state) { return true }
            state.wake = wake
            return false
        }
    }

    /// There are new events.
    func eventsCame() {
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            while let waiter = state.waiters.first {
                let bytes = take(waiter.length, from: &state)
                if bytes.isEmpty { return nil }
                state.waiters.removeFirst()
                if !waiter.read.end(.bytes(bytes)) { state.rest = bytes + state.rest }
            }
            guard isReadable(state) else { return nil }
            defer { state.wake = nil }
            return state.wake
        }
        wake?()
    }

    private func isReadable(_ state: State) -> Bool {
        state.waiters.isEmpty && (!state.rest.isEmpty || bulletin.nextNumber > state.next)
    }

    private func take(_ length: Int, from state: inout State) -> [UInt8] {
        if state.rest.count < length {
            let (first, events) = bulletin.events(from: state.next)
            if first > state.next { state.rest += line(missed: first - state.next) }
            state.next = first
            for event in events where state.rest.count < length {
                state.rest += line(state.next, event)
                state.next += 1
            }
        }
        defer { state.rest.removeFirst(min(length, state.rest.count)) }
        return Array(state.rest.prefix(length))
    }

    // MARK: Lines

    private func line(missed count: UInt64) -> [UInt8] {
        Array((JSONText.object(["event": "\"missed\"", "count": "\(count)"]) + "\n").utf8)
    }

    private func line(_ number: UInt64, _ event: DocumentEvent) -> [UInt8] {
        var (from, sibling): (ItemPath?, ItemPath?)
        var (saved, pin): (Int64?, PinState?)
        switch event.detail {
        case .from(let path): from = path
        case .sibling(let path): sibling = path
        case .saved(let time): saved = time
        case .pin(let state): pin = state
        case nil: break
        }
        let line = JSONText.object([
            "number": "\(number)",
            "event": JSONText.string(event.kind.rawValue),
            "scope": JSONText.string(names[event.scope]),
            "path": JSONText.string(event.path.map(PathText.plain)),
            "id": JSONText.string(event.item?.description),
            "time": JSONText.string(CivilTime(event.time).isoText),
            "by": JSONText.string(event.author.map(Self.word)),
            "from": JSONText.string(from.map(PathText.plain)),
            "sibling": JSONText.string(sibling.map(PathText.plain)),
            "saved": JSONText.string(saved.map { CivilTime(Timestamp(seconds: $0)).isoText }),
            "pin": JSONText.string(pin.map(DocumentAttributes.word)),
            "sentence": JSONText.string(event.sentence),
        ])
        return Array((line + "\n").utf8)
    }

    private static func word(_ author: DocumentEvent.Author) -> String {
        switch author {
        case .here: "here"
        // Nobody else is taken for this device.
        case .device("here"): "the device here"
        case .device(let name): name
        }
    }
}

extension Saver {
    /// As ISO 8601, UTC.
    var moment: String { CivilTime(Timestamp(seconds: time)).isoText }
}
