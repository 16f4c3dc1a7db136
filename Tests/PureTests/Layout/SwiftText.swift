/// The code of a Swift file: comments and the text of strings blanked out, lines kept.
struct SwiftText {
    /// One word or sign of the code.
    struct Token {
        let text: String
        /// Counted from 1.
        let line: Int

        var isWord: Bool {
            text.utf8.first.map { $0 == UInt8(ascii: "_") || Self.isLetter($0) } ?? false
        }

        static func isLetter(_ byte: UInt8) -> Bool {
            (65...90).contains(byte) || (97...122).contains(byte) || byte >= 128
        }
    }

    private(set) var tokens: [Token] = []

    init(_ source: String) {
        bytes = Array(source.utf8)
        code(until: nil)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    private func byte(_ ahead: Int = 0) -> UInt8 {
        position + ahead < bytes.count ? bytes[position + ahead] : 0
    }

    private mutating func advance(_ count: Int = 1) {
        for _ in 0..<count where position < bytes.count {
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
    }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    }

    /// Reads code to the end, or to the parenthesis that closes an interpolation.
    private mutating func code(until closing: UInt8?) {
        var depth = 0
        while position < bytes.count {
            if starts(with: "//") {
                while position < bytes.count, byte() != UInt8(ascii: "\n") { advance() }
            } else if starts(with: "/*") {
                blockComment()
            } else if byte() == UInt8(ascii: "\"") || rawStringHashes() > 0 {
                string()
            } else if Token.isLetter(byte()) || byte() == UInt8(ascii: "_") {
                word()
            } else if byte() == closing, depth == 0 {
                return advance()
            } else {
                if byte() == UInt8(ascii: "(") { depth += 1 }
                if byte() == UInt8(ascii: ")") { depth -= 1 }
                sign()
            }
        }
    }

    private mutating func sign() {
        if byte() > 32 {
            tokens.append(Token(text: String(UnicodeScalar(byte())), line: line))
        }
        advance()
    }

    private mutating func word() {
        let start = position
        let startLine = line
        while Token.isLetter(byte()) || byte() == UInt8(ascii: "_") || (48...57).contains(byte()) {
            advance()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        tokens.append(Token(text: text, line: startLine))
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if starts(with: "/*") {
                depth += 1
                advance(2)
            } else if starts(with: "*/") {
                depth -= 1
                advance(2)
            } else {
                advance()
            }
        } while depth > 0 && position < bytes.count
    }

    /// The number of `#` before a raw string that starts here; 0 when none does.
    private func rawStringHashes() -> Int {
        var count = 0
        while byte(count) == UInt8(ascii: "#") { count += 1 }
        return byte(count) == UInt8(ascii: "\"") ? count : 0
    }

    /// Skips a string literal; what it interpolates is code.
    private mutating func string() {
        let hashes = rawStringHashes()
        advance(hashes)
        let isMultiline = starts(with: "\"\"\"")
        let quotes = isMultiline ? 3 : 1
        advance(quotes)
        while position < bytes.count {
            if ends(quotes: quotes, hashes: hashes) { return advance(quotes + hashes) }
            if byte() == UInt8(ascii: "\\"), isEscape(hashes) {
                advance(1 + hashes)
                if byte() == UInt8(ascii: "(") {
                    advance()
                    code(until: UInt8(ascii: ")"))
                } else {
                    advance()
                }
            } else if byte() == UInt8(ascii: "\n"), !isMultiline {
                return
            } else {
                advance()
            }
        }
    }

    private func isEscape(_ hashes: Int) -> Bool {
        (0..<hashes).allSatisfy { byte(1 + $0) == UInt8(ascii: "#") }
    }

    private func ends(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { byte($0) == UInt8(ascii: "\"") }
            && (0..<hashes).allSatisfy { byte(quotes + $0) == UInt8(ascii: "#") }
    }
}
