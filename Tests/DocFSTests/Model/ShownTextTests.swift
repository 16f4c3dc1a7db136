import Foundation
import Logging
import TestSupport
import Testing

@testable import DocFS

/// Names, errors and other words from outside, wherever they are told.
struct ShownTextTests {
    /// All that ends a line, moves a cursor or turns the direction of writing, as numbers.
    static let controls: [UInt32] =
        Array(0..<0x20) + Array(0x7F..<0xA0) + Array(0x2028...0x202E) + Array(0x2066...0x2069)

    private static func text(_ number: UInt32) -> String {
        "a\(Unicode.Scalar(number)!)b"
    }

    /// Whether a text has a control but the line feeds at its end and between its lines.
    private static func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { !controls.contains($0.value) || $0 == "\n" }
    }

    @Test("S35: every control becomes a question mark, and nothing else changes")
    func line() {
        for number in Self.controls { #expect(ShownText.line(Self.text(number)) == "a?b") }
        for number in UInt32(0)..<0x11_0000 where !Self.controls.contains(number) {
            guard let scalar = Unicode.Scalar(number) else { continue }
            if ShownText.isControl(scalar) { Issue.record("U+\(String(number, radix: 16))") }
        }
        #expect(ShownText.line("é 日本 🙂 שלום") == "é 日本 🙂 שלום")
        #expect(ShownText.line("a\u{1B}]0;PWN\u{7}\r\nb") == "a?]0;PWN???b")
    }

    @Test("S35: JSON says every control by its number, and the same text")
    func json() throws {
        let all = String(String.UnicodeScalarView(Self.controls.map { Unicode.Scalar($0)! }))
        for text in Self.controls.map(Self.text) + [all, "\"\\é\u{1F642}日\u{AD}\u{2027}\u{206A}"] {
            var line = JSONLine()
            line.add("path", text)
            line.add("words", [text, "x"])
            line.end()
            let written = JSONText.object(["path": JSONText.string(text), "words": "[]"]) + "\n"
            for json in [String(decoding: line.bytes, as: UTF8.self), written] {
                #expect(Self.isClean(String(json.dropLast())) && !json.dropLast().contains("\n"))
                let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
                let members = try #require(object as? [String: Any])
                #expect(members["path"] as? String == text)
            }
        }
    }

    @Test("S35: a path on a line is percent-encoded where it holds a control")
    func paths() {
        for number in Self.controls where number > 0 {
            let path = ItemPath([Name("dir"), Name(Self.text(number))])
            #expect(Self.isClean(PathText.line(path)), "U+\(String(number, radix: 16))")
            #expect(PathText.line(path).hasPrefix("dir/a%"))
        }
        #expect(PathText.line("dir/é") == "dir/é")
        #expect(Self.isClean(PathText.line(ItemPath([Name([0x61, 0x9B, 0x62])]))))
    }

    @Test("S32, S35: the words of an error are safe, whoever chose them")
    func errors() {
        for number in Self.controls {
            let words = Self.text(number)
            let errors: [DocFSError] = [
                .offline(words), .corrupt(words), .credentialsRefused(words),
                .outcomeUnknown(words),
            ]
            for error in errors { #expect(error.sentence.hasSuffix("a?b")) }
        }
    }

    @Test("S35: an event of the log is one line without a control")
    func log() throws {
        let path = NSTemporaryDirectory() + "docfs-log-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let handler = try LogFile(path: path, level: .info)
        let log = Logger(label: "docfs") { _ in handler }
        let forged = "\n2026-01-01T00:00:00.000Z critical forged"
        for number in Self.controls {
            log.info("\(Self.text(number))\(forged)", metadata: ["key": "\(Self.text(number))"])
        }
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(Self.isClean(written))
        let lines = written.split(separator: "\n")
        #expect(lines.count == Self.controls.count)
        #expect(lines.allSatisfy { $0.contains(" info a?b?2026") && $0.hasSuffix("key=a?b") })
    }

    @Test("S35: what the decoder says of a record names no key from outside")
    func records() {
        let key = "user.\u{1B}]0;PWN\u{7}\n2026-01-01T00:00:00.000Z critical forged"
        let quoted = JSONText.string(key)
        let state = """
            {"parent": "", "name": "", "kind": "file", "mode": 1, "mtime": [1, 0], \
            "xattrs": {\(quoted): 7}}
            """
        let record = """
            {"v": 2, "device": "", "name": "", "time": 0, \
            "changes": [{"op": "", "item": "", "after": \(state)}]}
            """
        for json in [record, "{", "{}", "[]", "nonsense \u{1B}"] {
            do throws(DocFSError) {
                _ = try ContainerCoding.decodeRecord(Array(json.utf8))
                Issue.record("\(json) is a record")
            } catch {
                guard case .corrupt(let words) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(Self.isClean(words) && !words.contains("\n") && !words.contains("PWN"))
            }
        }
        let whole = record.replacingOccurrences(
            of: #""device": """#, with: #""device": "\#(String(repeating: "d", count: 32))""#)
        let read = try? ContainerCoding.decodeRecord(Array(whole.utf8))
        #expect(
            read?.breaches == [
                "change 1: a value of the wrong type at changes.0.after.xattrs.…"
            ])
    }

    @Test("S35: the code in a store's refusal is told as one short word")
    func stores() {
        for number in Self.controls {
            for status in [403, 404, 500, 418] {
                var failure = S3Failure(status: status, retryAfter: nil)
                failure.code = Self.text(number) + String(repeating: "x", count: 1000)
                #expect(Self.isClean(failure.words) && !failure.words.contains("\n"))
                #expect(failure.words.count == 64)
                #expect(!failure.error.sentence.contains(Character(Unicode.Scalar(number)!)))
            }
        }
    }
}
