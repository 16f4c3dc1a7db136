/// Paths as text.
///
/// Names are bytes (S30); what text cannot say is percent-encoded, as in a URL.
enum PathText {
    /// The path itself where it is UTF-8; else its `%` and every byte beyond ASCII as `%XX`.
    static func plain(_ path: ItemPath) -> String {
        let bytes = path.bytes
        return String(validating: bytes, as: UTF8.self) ?? encoded(bytes)
    }

    /// As ``plain(_:)``, for one line of text: a path with control characters is encoded too.
    static func line(_ path: ItemPath) -> String {
        let text = plain(path)
        let isSafe = !text.unicodeScalars.contains(where: ShownText.isControl)
        return isSafe ? text : encoded(path.bytes)
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// `%`, control characters and every byte beyond ASCII as `%XX`.
    static func encoded(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            if byte >= 0x80 || byte == 0x25 || isControl(byte) {
                text += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
