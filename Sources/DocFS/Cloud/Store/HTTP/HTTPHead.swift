/// The head of an answer (RFC 9112, 4 and 5), taken line by line.
struct HTTPHead: Sendable {
    private(set) var status = 0
    /// Names in lower case, in the order of the answer.
    private(set) var fields: [(name: String, value: String)] = []
    /// Whether all of it is there: what comes later is a trailer, which nobody wants.
    private(set) var isWhole = false
    private var length = 0

    /// Bytes of all lines, of interim answers (1xx) and trailers too.
    private static let longest = 1 << 16

    /// Takes a line with its end.
    ///
    /// - Returns: what is wrong with the head by now, in words; `nil` while nothing is.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> String? {
        length += bytes.count
        guard length <= Self.longest else { return "the head of the answer does not end" }
        if isWhole { return nil }
        let end = bytes.lastIndex { $0 != 0x0D && $0 != 0x0A }
        guard let end else { return finish() }
        let line = String(decoding: bytes[...end], as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            fields = []
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...]
            fields.append((line[..<colon].lowercased(), Self.trimmed(value)))
        }
        return nil
    }

    private mutating func finish() -> String? {
        // An interim answer: the head is still to come. Nobody asked to switch protocols.
        if (100...199).contains(status), status != 101 { return nil }
        guard (200...599).contains(status) else { return "the answer has no status" }
        // Coded in another way than in chunks, which nobody asked for, libcurl would unpack it.
        for field in fields where field.name == "transfer-encoding" {
            if field.value.lowercased() != "chunked" { return "the answer is coded" }
        }
        isWhole = true
        return nil
    }

    /// A field's value without blanks at its ends.
    ///
    /// A blank stands for each control character in it (RFC 9110, 5.5): what other programs keep
    /// beside their objects is sent again with a copy.
    private static func trimmed(_ value: Substring) -> String {
        let isWhole = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        let text = isWhole ? value : value.withoutControls[...]
        let rest = text.drop { $0 == " " || $0 == "\t" }
        let end = rest.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { String(rest[...$0]) } ?? ""
    }
}

extension Substring {
    fileprivate var withoutControls: String {
        let bytes = utf8.map { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F ? 0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}
