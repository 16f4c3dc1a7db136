/// A 128-bit random identity of a `Subject`, equal on every device.
///
/// The generic parameter only keeps identities of different subjects apart; it has no values.
/// As text it is 32 lower-case hexadecimal digits.
package struct Identifier<Subject>: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Draws a new identity.
    ///
    /// The source of randomness is passed in, so that a simulation repeats.
    package init(using random: inout some RandomNumberGenerator) {
        self.init(high: random.next(), low: random.next())
    }

    /// Reads the text form; `nil` when `text` is anything but 32 hexadecimal digits.
    package init?(text: some StringProtocol) {
        guard text.utf8.count == 32 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in text.utf8.enumerated() {
            let digit: UInt64
            switch byte {
            case 0x30...0x39: digit = UInt64(byte - 0x30)
            case 0x61...0x66: digit = UInt64(byte - 0x61 + 10)
            default: return nil
            }
            if index < 16 {
                words.0 = words.0 << 4 | digit
            } else {
                words.1 = words.1 << 4 | digit
            }
        }
        self.init(high: words.0, low: words.1)
    }

    /// Reads the 16-byte big-endian form; `nil` for any other length.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                words.0 = words.0 << 8 | UInt64(byte)
            } else {
                words.1 = words.1 << 8 | UInt64(byte)
            }
        }
        self.init(high: words.0, low: words.1)
    }

    /// The 16-byte big-endian form.
    package var bytes: [UInt8] { withBytes { Array($0) } }

    /// Hands out the 16-byte big-endian form, for which nothing is allocated.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    package var description: String { withBytes { String(hexOf: $0) } }

    package static func < (left: Self, right: Self) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}
