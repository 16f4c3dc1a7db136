@testable import DocFS

/// What a server of S3's protocol, or whoever sits between, may make of an answer, drawn from a
/// seed: the same seed and the same answer give the same damage.
package struct AnswerDamage: Sendable {
    /// What is sent in the end.
    package private(set) var reply: S3Server.Reply
    /// What was done, for people.
    package private(set) var words: [String] = []
    var values: HostileValues
    var answer: S3ServerAnswer
    /// What is sent in the place of the answer that ``answer`` has come to.
    private var sent: [UInt8]?
    private var end = S3Server.End.open
    /// How often the like was asked for before.
    let occurrence: Int

    /// - Parameters:
    ///   - keys: of objects that are there.
    ///   - occurrence: how often the like was asked for before.
    package init(_ answer: S3ServerAnswer, seed: UInt64, keys: [[UInt8]], occurrence: Int) {
        self.answer = answer
        self.occurrence = occurrence
        reply = S3Server.Reply([])
        values = HostileValues(
            seed: seed, identities: [], paths: keys.map { String(decoding: $0, as: UTF8.self) },
            revisions: [])
        for _ in 0..<values.pick([1, 1, 1, 2, 3]) { damage() }
        var bytes = sent ?? self.answer.bytes
        if values.isOnce(in: 6) { bytes = damaged(bytes) }
        if end == .open, values.isOnce(in: 3) { end = .closed }
        reply = S3Server.Reply(bytes, end: end)
    }

    mutating func note(_ line: String) {
        let shown = ShownText.line(String(line.prefix(200)))
        words.append(line.count > 200 ? "\(shown)… (\(line.utf8.count) bytes)" : shown)
    }

    private mutating func damage() {
        let isText = String(decoding: answer.body.prefix(5), as: UTF8.self) == "<?xml"
        switch values.index(below: 100) {
        case 0..<9: damageStatus()
        case 9..<19: damageLength()
        case 19..<24: damageRange()
        case 24..<31: damageRevision()
        case 31..<36: damageTimes()
        case 36..<52: damageMetadata()
        case 52..<62: damageOthers()
        case 62..<86: if isText { damageText() } else { damageBody() }
        case 86..<92: chunk()
        case 92..<96: frame()
        default: saySomethingElse()
        }
    }

    // MARK: How it is sent

    private static let sizes = [
        "-1", "+5", "0x10", "0", "1", "4294967296", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "", " ", "1, 1", "1,2", "1e3", "٣",
    ]

    private mutating func damageLength() {
        let length = answer.body.count
        switch values.index(below: 6) {
        case 0:
            answer.remove("content-length")
            end = .closed
            note("no Content-Length")
        case 1:
            let lie = values.pick(["\(length + 1)", "\(length + 100_000)", "\(max(0, length - 1))"])
            answer.set("Content-Length", lie)
            note("Content-Length: \(lie) for \(length)")
        case 2:
            answer.fields.append(("Content-Length", values.pick(["\(length)", "\(length + 7)"])))
            note("two Content-Length")
        default:
            let lie = values.pick(Self.sizes)
            answer.set("Content-Length", lie)
            note("Content-Length: \(lie) for \(length)")
        }
        if values.isOnce(in: 2) { end = .closed }
    }

    private static let chunkSizes = [
        "-1", "0", "1", "ffffffff", "7fffffffffffffff", "8000000000000000", "ffffffffffffffff",
        "10000000000000000", "g", "", "5;x=\"\u{1B}\"", "0x5", " 5",
    ]

    /// A body in chunks (RFC 9112, 7.1), with sizes that may be wrong.
    private mutating func chunk() {
        if !values.isOnce(in: 4) { answer.remove("content-length") }
        let coding = values.pick(["chunked", "chunked", "chunked", "gzip, chunked", "identity"])
        answer.fields.append(("Transfer-Encoding", coding))
        var lines: [UInt8] = []
        var rest = answer.body[...]
        while !rest.isEmpty {
            let count = min(rest.count, values.pick([1, 7, 100, 5_000]))
            let isWrong = values.isOnce(in: 6)
            let size = isWrong ? values.pick(Self.chunkSizes) : String(count, radix: 16)
            lines += Array("\(size)\r\n".utf8) + rest.prefix(count) + [0x0D, 0x0A]
            rest = rest.dropFirst(count)
            // Each would be a line of its own: enough of them.
            if lines.count > 1 << 16 { rest = [] }
        }
        let trailer = values.pick(["\r\n", "\r\n", "ETag: \"x\"\r\n\r\n", "no colon\r\n\r\n", ""])
        lines += Array("0\r\n\(trailer)".utf8)
        answer.body = lines
        note("chunks (\(coding))")
    }

    /// More than one answer, or less.
    private mutating func frame() {
        let bytes = answer.bytes
        switch values.index(below: 6) {
        case 0:
            sent = bytes + bytes
            note("sent twice")
        case 1:
            let count = values.pick([1, 3, 2_000])
            let interim = Array("HTTP/1.1 \(values.pick([100, 102, 103])) Wait\r\n\r\n".utf8)
            sent = Array(repeating: interim, count: count).flatMap { $0 } + bytes
            note("\(count) interim answers before")
        case 2:
            sent = Array(bytes.prefix(values.index(below: bytes.count)))
            end = .closed
            note("cut off")
        case 3:
            sent = Array(bytes.prefix(values.index(below: bytes.count)))
            end = .silent
            note("cut off, and silence")
        case 4:
            sent = Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n".utf8) + bytes
            note("another protocol")
        default:
            (sent, end) = ([], values.pick([.closed, .silent]))
            note("no answer")
        }
    }

    private mutating func saySomethingElse() {
        let lines = [
            "HTTP/1.1 200 OK\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n", "HTTP/2 200\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "<html></html>", "\u{0}\u{0}",
            "HTTP/1.1 200 OK\nContent-Length: 0\n\n", "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
        ]
        sent = Array(values.pick(lines).utf8)
        if values.isOnce(in: 4) { sent = Array(repeating: 0x41, count: 1 << 20) }
        note("something else: \(ContainerDamage.shown(Array((sent ?? []).prefix(60))))")
    }

    // MARK: Byte by byte

    private mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.isEmpty else { return bytes }
        var bytes = bytes
        for _ in 0..<values.pick([1, 1, 2, 8]) where !bytes.isEmpty {
            let place = values.index(below: bytes.count)
            switch values.index(below: 3) {
            case 0:
                bytes[place] ^= UInt8(1 << values.index(below: 8))
                note("byte \(place) flipped")
            case 1:
                let count = min(bytes.count - place, values.pick([1, 2, 50]))
                bytes.removeSubrange(place..<place + count)
                note("\(count) bytes cut at \(place)")
            default:
                let new = values.pick([
                    [0], [0x0D, 0x0A], [0xFF, 0xFE], Array("<a>".utf8), [0x1B],
                ])
                bytes.insert(contentsOf: new, at: place)
                note("\(new.count) bytes inserted at \(place)")
            }
        }
        return bytes
    }

    private mutating func damageBody() {
        switch values.index(below: 4) {
        case 0:
            answer.body = Array(answer.body.prefix(values.index(below: answer.body.count)))
            note("a shorter body")
            if values.isOnce(in: 2) { answer.set("Content-Length", "\(answer.body.count)") }
        case 1:
            answer.body += Array(repeating: 0x78, count: values.pick([1, 5_000, 2 << 20]))
            note("a longer body")
            if values.isOnce(in: 2) { answer.set("Content-Length", "\(answer.body.count)") }
        default:
            guard !answer.body.isEmpty else { return }
            let place = values.index(below: answer.body.count)
            answer.body[place] = answer.body[place] &+ 1
            note("byte \(place) of the body is another one")
        }
    }
}
