@testable import DocFS

/// What bodies in XML say: listings, errors, and the outcomes of copies.
extension AnswerDamage {
    /// Bytes of one body at most: a server that goes on for ever is one of another test.
    private static let largest = 4 << 20

    mutating func damageText() {
        // What has grown already is not searched: that takes longer than reading it.
        guard answer.body.count < 1 << 17 else { return }
        var text = String(decoding: answer.body, as: UTF8.self)
        switch values.index(below: 10) {
        case 0: text = declared(text)
        case 1, 2, 3: replaceElement(&text)
        case 4, 5: addEntries(&text)
        case 6: setEnd(&text)
        case 7: nest(&text)
        case 8:
            text = String(text.prefix(values.index(below: text.count)))
            note("half of the XML")
        default: recode(&text)
        }
        if answer.body != Array(text.utf8), !text.isEmpty { answer.body = Array(text.utf8) }
        answer.body = Array(answer.body.prefix(Self.largest))
        if !values.isOnce(in: 10) { answer.set("Content-Length", "\(answer.body.count)") }
    }

    private mutating func declared(_ text: String) -> String {
        let laughs = (1..<10).map { "<!ENTITY a\($0) \"&a\($0 - 1);&a\($0 - 1);&a\($0 - 1);\">" }
        let declaration = values.pick([
            "<!DOCTYPE x>", "<!DOCTYPE x SYSTEM \"file:///etc/passwd\">",
            "<!DOCTYPE x [<!ENTITY a0 \"ha\">\(laughs.joined())]>",
            "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>",
            "<!DOCTYPE x [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/\"> %p;]>",
        ])
        note("declares \(declaration)")
        let lines = text.split(separator: "\n", maxSplits: 1)
        return "\(lines.first ?? "")\n\(declaration)\(lines.count > 1 ? lines[1] : "")"
    }

    // MARK: Values

    private static let keys = [
        "", ".", "..", "%2F", "%2F%2F", "a%2F..%2Fb", "..%2F..%2Fx", "%00", "a%00b", "%0A",
        "%1B%5D",
        "%C2%9B31m", "%FF%FE", "%", "%4", "%zz", "a%2F%2Fb", "a%2F", ".docfs", ".docfs%2Fx",
        ".docfs%2Flog%2F0000000000000001.json", "docfs-key=%2500", "docfs-key=a",
        "docfs-bytes=%25FF",
        "docfs-long=00000000000000000000000000000000=n", "e%CC%81", "%C3%A9", "a+b", "&amp;lt;",
        "<![CDATA[x]]>", "&#x1B;", "&#0;", "%ED%A0%80", "%E2%80%AE", ".a.saving", "a~",
    ]

    mutating func key() -> String {
        switch values.index(below: 8) {
        case 0: String(repeating: "n", count: values.pick([255, 256, 1_025, 2_000]))
        case 1: String(repeating: "d%2F", count: values.pick([100, 1_000]))
        case 2: S3Request.encoded(values.path())
        case 3: String(repeating: "%CC%81", count: 400)
        default: values.pick(Self.keys)
        }
    }

    private static let sizes = [
        "", "-1", "0", "1", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e3", " 1", "4611686018427387904",
    ]
    private static let times = [
        "", "9999-12-31T23:59:60.999Z", "10000-01-01T00:00:00Z", "-001-01-01T00:00:00Z",
        "0001-01-01T00:00:00.000Z", "2026-02-31T24:00:00Z", "1970-01-01T00:00:00Z", "now",
        "2125-01-01T00:00:00.000Z", "9223372036854775807-01-01T00:00:00Z", "1969-12-31T23:59:59Z",
    ]

    private mutating func replaceElement(_ text: inout String) {
        let name = values.pick([
            "Key", "Key", "Prefix", "Size", "LastModified", "ETag", "IsTruncated", "Code",
            "NextContinuationToken",
        ])
        let lie: String
        switch name {
        case "Key", "Prefix": lie = key()
        case "Size": lie = values.pick(Self.sizes)
        case "LastModified": lie = values.pick(Self.times)
        case "IsTruncated": lie = values.pick(["true", "false", "", "1", "TRUE"])
        default:
            lie = values.pick([
                "", "&#x1B;[2J", "<b>x</b>", "&quot;", "&amp;",
                String(
                    repeating: "t", count: 70_000), "\u{FFFE}",
            ])
        }
        let places = text.ranges(of: "<\(name)>")
        guard !places.isEmpty else { return }
        let place = values.pick(places)
        guard let end = text[place.upperBound...].firstRange(of: "</\(name)>") else { return }
        text.replaceSubrange(place.upperBound..<end.lowerBound, with: lie)
        note("<\(name)> = \(lie)")
    }

    // MARK: Listings

    private mutating func add(_ new: String, to text: inout String) {
        let end = text.ranges(of: "</").last?.lowerBound ?? text.endIndex
        let start = text.firstRange(of: "<Contents>")?.lowerBound
        text.insert(contentsOf: new, at: values.isOnce(in: 2) ? start ?? end : end)
    }

    private mutating func addEntries(_ text: inout String) {
        var entries = ""
        let prefix =
            text.firstRange(of: "</Prefix>").map { end in
                String(text[..<end.lowerBound].split(separator: "<Prefix>").last ?? "")
            } ?? ""
        // Mostly what was asked for.
        let place = values.isOnce(in: 5) || prefix.contains("<") ? "" : prefix
        for _ in 0..<values.pick([1, 2, 5]) {
            let key = place + key()
            let size = values.isOnce(in: 3) ? values.pick(Self.sizes) : "1"
            let time = values.isOnce(in: 3) ? values.pick(Self.times) : "2026-01-01T00:00:00Z"
            let entry =
                values.isOnce(in: 3)
                ? "<CommonPrefixes><Prefix>\(key)\(values.pick(["%2F", ""]))</Prefix>"
                    + "</CommonPrefixes>"
                : "<Contents><Key>\(key)</Key><LastModified>\(time)</LastModified>"
                    + "<ETag>&quot;\(values.index(below: 100))&quot;</ETag><Size>\(size)</Size>"
                    + "</Contents>"
            let count = values.pick([1, 1, 1, 2, 3_000])
            // No more is made than is sent: this process's memory is what is looked at.
            let room = max(0, Self.largest - entries.utf8.count) / entry.utf8.count
            entries += String(repeating: entry, count: min(count, room))
            note("\(count) times \(entry)")
        }
        add(entries, to: &text)
    }

    /// Whether more is to come: contradictions, and pages that never end.
    private mutating func setEnd(_ text: inout String) {
        let token = values.pick(["", "same", "\(occurrence)", "\(occurrence)", "&#x0A;", "a%00"])
        let next = "<NextContinuationToken>\(token)</NextContinuationToken>"
        let isTruncated = values.pick(["true", "true", "true", "false"])
        if let place = text.firstRange(of: "<IsTruncated>false</IsTruncated>") {
            text.replaceSubrange(place, with: "<IsTruncated>\(isTruncated)</IsTruncated>")
        }
        if !values.isOnce(in: 4) { add(next, to: &text) }
        note("truncated: \(isTruncated), token “\(token)”")
    }

    private mutating func nest(_ text: inout String) {
        let count = values.pick([10, 16, 17, 300, 100_000])
        let name = values.pick(["a", "Contents", "Key", String(repeating: "n", count: 300)])
        let isClosed = !values.isOnce(in: 4)
        let made = min(count, Self.largest / 2 / (name.utf8.count + 2))
        var new = String(repeating: "<\(name)>", count: made)
        if isClosed, made == count { new += String(repeating: "</\(name)>", count: count) }
        if values.isOnce(in: 3) { new = String(repeating: "<\(name)/>", count: made) }
        add(String(new.prefix(Self.largest / 2)), to: &text)
        note("\(count) times <\(name)>")
    }

    private mutating func recode(_ text: inout String) {
        let name = values.pick(["UTF-16", "ISO-8859-1", "UTF-7", "x", "", "US-ASCII", "UTF-16LE"])
        text = text.replacing("encoding=\"UTF-8\"", with: "encoding=\"\(name)\"")
        note("says that it is \(name)")
        guard values.isOnce(in: 2) else { return }
        answer.body = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        text = ""
        note("is UTF-16")
    }
}
