/// One JSON object on a line, written byte by byte: for what is said a million times.
struct JSONLine {
    private(set) var bytes: [UInt8] = [0x7B]

    private static let digits = Array("0123456789abcdef".utf8)

    init() { bytes.reserveCapacity(512) }

    private mutating func put(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(
                start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func begin(_ key: StaticString) {
        if bytes.count > 1 { bytes.append(0x2C) }
        bytes.append(0x22)
        put(key)
        put("\":")
    }

    private mutating func quote(_ text: some Sequence<UInt8>) {
        bytes.append(0x22)
        // Bytes of text from the last one that began a character beyond ASCII.
        var start = bytes.count
        for byte in text {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0..<0x20, 0x7F: escape(UInt32(byte))
            case 0x80..<0xC0:
                bytes.append(byte)
                escapeControl(from: start)
            default:
                start = bytes.count
                bytes.append(byte)
            }
        }
        bytes.append(0x22)
    }

    private mutating func escape(_ scalar: UInt32) {
        put("\\u")
        for shift in [12, 8, 4, 0] as [UInt32] {
            bytes.append(Self.digits[Int(scalar >> shift & 15)])
        }
    }

    /// What ``ShownText/isControl(_:)`` calls a control is two or three bytes long in UTF-8: all of
    /// them begin with 0xC2 or 0xE2.
    private mutating func escapeControl(from start: Int) {
        let scalar: UInt32
        switch (bytes.count - start, bytes[start]) {
        case (2, 0xC2): scalar = UInt32(bytes[start + 1])
        case (3, 0xE2):
            scalar = 0x2000 | UInt32(bytes[start + 1] & 0x3F) << 6 | UInt32(bytes[start + 2] & 0x3F)
        default: return
        }
        guard Unicode.Scalar(scalar).map(ShownText.isControl) == true else { return }
        bytes.removeSubrange(start...)
        escape(scalar)
    }

    /// - Parameter text: UTF-8.
    mutating func add(_ key: StaticString, _ text: some Sequence<UInt8>) {
        begin(key)
        quote(text)
    }

    mutating func add(_ key: StaticString, _ text: String) { add(key, text.utf8) }

    mutating func add(_ key: StaticString, _ number: some BinaryInteger) {
        begin(key)
        bytes += String(number).utf8
    }

    mutating func add(_ key: StaticString, _ truth: Bool) {
        begin(key)
        put(truth ? "true" : "false")
    }

    mutating func add(_ key: StaticString, _ words: [String]) {
        begin(key)
        bytes.append(0x5B)
        for (index, word) in words.enumerated() {
            if index > 0 { bytes.append(0x2C) }
            quote(word.utf8)
        }
        bytes.append(0x5D)
    }

    /// Closes the object and ends the line.
    mutating func end() { bytes += [0x7D, 0x0A] }
}
