/// Reads one JSON object without objects in it, as the files of `.docfs` have them a line each: a
/// million of them in a few seconds, which JSONDecoder does not.
struct LineScanner {
    /// A member's value.
    enum Value {
        case text(String)
        case number(UInt64)
        case truth(Bool)
        case list([String])
        case null
    }

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// - Parameter bytes: a line, without the line feed.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Hands over each member.
    mutating func eachMember(_ take: (_ key: String, _ value: Value) -> Void) throws {
        try expect(0x7B)
        while true {
            let key = try text()
            try expect(0x3A)
            take(key, try value())
            if next != 0x2C { break }
            position += 1
        }
        try expect(0x7D)
    }

    private var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private var confusion: Failure { Failure("a line of the mount makes no sense here") }

    private mutating func expect(_ byte: UInt8) throws {
        if next != byte { throw confusion }
        position += 1
    }

    private mutating func value() throws -> Value {
        switch next {
        case 0x22: return .text(try text())
        case 0x5B: return .list(try list())
        case 0x74: return .truth(try isWord("true"))
        case 0x66: return .truth(try !isWord("false"))
        case 0x6E:
            _ = try isWord("null")
            return .null
        default: return .number(try number())
        }
    }

    private mutating func isWord(_ word: StaticString) throws -> Bool {
        for index in 0..<word.utf8CodeUnitCount { try expect(word.utf8Start[index]) }
        return true
    }

    private mutating func number() throws -> UInt64 {
        let begin = position
        var number: UInt64 = 0
        while let digit = next, (0x30...0x39).contains(digit) {
            number = number &* 10 &+ UInt64(digit - 0x30)
            position += 1
        }
        if position == begin { throw confusion }
        return number
    }

    private mutating func list() throws -> [String] {
        try expect(0x5B)
        var words: [String] = []
        while next == 0x22 {
            words.append(try text())
            if next == 0x2C { position += 1 }
        }
        try expect(0x5D)
        return words
    }

    private mutating func text() throws -> String {
        try expect(0x22)
        let begin = position
        while let byte = next, byte != 0x22, byte != 0x5C { position += 1 }
        var text = String(decoding: bytes[begin..<position], as: UTF8.self)
        if next == 0x5C { text = ByteText.text(try unescaped(bytes[begin..<position])) }
        try expect(0x22)
        return text
    }

    /// Goes on with a text in which something is escaped.
    private mutating func unescaped(_ begun: ArraySlice<UInt8>) throws -> [UInt8] {
        let short: [UInt8: UInt8] = [
            0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9,
        ]
        var text = Array(begun)
        while let byte = next, byte != 0x22 {
            position += 1
            guard byte == 0x5C else {
                text.append(byte)
                continue
            }
            guard let letter = next else { throw confusion }
            position += 1
            if let plain = short[letter] {
                text.append(plain)
                continue
            }
            // Of the others only control characters are written so.
            let digits = String(decoding: bytes[position...].prefix(4), as: UTF8.self)
            guard letter == 0x75, let code = UInt32(digits, radix: 16),
                let scalar = Unicode.Scalar(code)
            else { throw confusion }
            text += UTF8.encode(scalar)!
            position += 4
        }
        return text
    }
}
