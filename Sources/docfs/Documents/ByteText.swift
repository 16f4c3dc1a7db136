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

    /// For a terminal: what would move the cursor, or is no text, becomes `?`, as ls(1) has it.
    static func shown(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            shown.append(isControl || byte(of: scalar) != nil ? "?" : scalar)
        }
        return String(shown)
    }
}
