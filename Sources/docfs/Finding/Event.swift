internal import FoundationEssentials
internal import Glibc

/// A line of `.docfs/events`.
struct Event: Decodable {
    /// `missed` says that the reader was too slow for `count` events.
    var event: String
    var count: Int?
    var scope: String?
    /// From the scope's root on, as `.docfs` writes paths.
    var path: String?
    var id: String?
    /// ISO 8601, UTC.
    var time: String?
    var sentence: String?
    /// `here`, or the device that did it.
    var by: String?
    /// Where it was, from the scope's root on.
    var from: String?
    /// The conflict version, from the scope's root on.
    var sibling: String?

    /// How long nothing comes before it is called calm, in milliseconds.
    private static let calm: Int32 = 300

    /// Calls `take` for each event from now on, with the line that it came in, until an
    /// interruption; `ready` once nothing is missed any more, `idle` when nothing came for a while
    /// after something did.
    static func follow(
        _ mount: Mount, ready: () throws -> Void = {}, idle: () throws -> Void = {},
        _ take: (_ event: Event, _ line: String) throws -> Void
    ) throws {
        let path = mount.control("events")
        let file = try Document.open(path, O_RDONLY)
        defer { close(file) }
        try ready()
        Output.flush()
        var rest: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isCalm = true
        while true {
            try Interruption.check()
            var wanted = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            // Not for ever: a signal may come just before.
            let answer = poll(&wanted, 1, isCalm ? 1000 : Self.calm)
            if answer < 0 { continue }
            if answer == 0 {
                if !isCalm { try idle() }
                isCalm = true
                Output.flush()
                continue
            }
            isCalm = false
            let count = read(file, &buffer, buffer.count)
            if count == 0 { throw Failure("the mount has ended") }
            if count < 0 {
                if errno == EINTR { continue }
                throw errno == ENOTCONN || errno == ECONNABORTED
                    ? Failure("the mount has ended") : Failure(path, errno)
            }
            rest += buffer[..<count]
            while let end = rest.firstIndex(of: 0x0A) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                // Of a later daemon: it tells of something that is unknown here.
                guard let event = try? JSONDecoder().decode(Event.self, from: Data(line)) else {
                    continue
                }
                try take(event, ByteText.text(line))
            }
            Output.flush()
        }
    }

    /// Where it happened, from the mount's root on.
    var inner: String? {
        guard let scope else { return nil }
        return path.map { scope + "/" + $0 } ?? scope
    }

    /// Where the conflict version is, from the mount's root on.
    var innerSibling: String? {
        guard let scope else { return nil }
        return sibling.map { scope + "/" + $0 }
    }

    /// Where it was before, from the mount's root on.
    var former: String? {
        guard let scope else { return nil }
        return from.map { scope + "/" + $0 }
    }
}
