/// Text with `%20` and its like (RFC 3986, 2.1).
enum PercentText {
    /// The text that is meant; `nil` when a percent sign stands for nothing, or for NUL.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(rest.prefix(2)) ?? ""
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value != 0 else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
