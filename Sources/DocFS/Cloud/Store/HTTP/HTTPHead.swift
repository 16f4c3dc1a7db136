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
        let line = bytes[...end]
        if line.starts(with: Self.beginning) {
            fields = []
            let words = line.split(separator: 0x20)
            status = words.dropFirst().first.flatMap { Int(Self.text($0)) } ?? 0
        } else if let colon = line.firstIndex(of: 0x3A) {
            fields.append(
                (Self.text(line[..<colon]).lowercased(), Self.value(line[(colon + 1)...])))
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

    private static let beginning = Array("HTTP/".utf8)

    private static func text(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    /// A field's value without blanks at its ends.
    ///
    /// A blank stands for each control character in it (RFC 9110, 5.5): what other programs keep
    /// beside their objects is sent again with a copy.
    private static func value(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let isBlank = { (byte: UInt8) in byte <= 0x20 || byte == 0x7F }
        let rest = bytes.drop(while: isBlank)
        guard let end = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        let value = rest[...end]
        let isControl = { (byte: UInt8) in isBlank(byte) && byte != 0x09 }
        guard value.contains(where: isControl) else { return text(value) }
        return text(value.map { isControl($0) ? 0x20 : $0 })
    }
}
