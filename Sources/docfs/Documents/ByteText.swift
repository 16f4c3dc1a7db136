/// Names as text and back, without losing a byte: names are bytes (S30), words of a command line
/// and lines of output are text.
///
/// A byte that is not part of valid UTF-8 becomes a character of a private plane (U+10FE00 and the
/// byte), which goes back to that byte.
enum ByteText {
    private static let plane: UInt32 = 0x10FE00

    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        var decoder = UTF8()
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            var input = rest.makeIterator()
            switch decoder.decode(&input) {
            case .scalarValue(let scalar):
                scalars.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            case .error, .emptyInput:
                scalars.append(Unicode.Scalar(plane + UInt32(rest.removeFirst()))!)
            }
            decoder = UTF8()
        }
        return String(scalars)
    }

    static func bytes(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if let byte = byte(of: scalar) {
                bytes.append(byte)
            } else {
                bytes += UTF8.encode(scalar)!
            }
        }
        return bytes
    }

    private static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        (plane..<plane + 256).contains(scalar.value) ? UInt8(scalar.value - plane) : nil
    }

    /// As `.docfs` writes paths: the text where it is UTF-8, else percent-encoded as in a URL.
    static func encoded(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { byte(of: $0) != nil }) else { return text }
        var encoded = ""
        for byte in bytes(text) {
            if byte >= 0x80 || byte == 0x25 || byte < 0x20 || byte == 0x7F {
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += byte < 16 ? "%0" + digits : "%" + digits
            } else {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return encoded
    }

    /// What `encoded` was, or what `.docfs` made of a path with control characters.
    static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return self.text(bytes)
    }

    // MARK: For people

    /// For a terminal or a log: what would move the cursor, end the line or turn the direction of
    /// writing, or is no text, becomes `?`, as ls(1) has it.
    static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isControl($0) || byte(of: $0) != nil }) else {
            return text
        }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            shown.append(isControl(scalar) || byte(of: scalar) != nil ? "?" : scalar)
        }
        return String(shown)
    }

    /// The same for programs that take names by the line: bytes that are no text stay, but for
    /// those that are controls in an encoding of one byte for each character (ISO 8859).
    static func shownKeepingBytes(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let stays = byte(of: scalar).map { $0 >= 0xA0 } ?? !isControl(scalar)
            shown.append(stays ? scalar : "?")
        }
        return String(shown)
    }

    /// JSON as text whose strings hold no control character as it is (RFC 8259, 7).
    static func escaped(json text: String) -> String {
        let isSafe = !text.unicodeScalars.contains { isControl($0) || byte(of: $0) != nil }
        if isSafe { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if byte(of: scalar) != nil {
                escaped.append("\u{FFFD}")
            } else if isControl(scalar) {
                let digits = String(scalar.value, radix: 16)
                let number = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                escaped.append(contentsOf: number.unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// Controls (C0, DEL, C1), line and paragraph separators, and what embeds, overrides or
    /// isolates a direction of writing (Unicode Standard Annex #9).
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
