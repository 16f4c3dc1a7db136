/// The SHA-256 (FIPS 180-4) of one body.
///
/// As text it is 64 lower-case hexadecimal digits.
package struct Digest: Hashable, Sendable, CustomStringConvertible {
    /// 32 bytes.
    package let bytes: [UInt8]

    /// `nil` when `bytes` are not 32.
    package init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    /// Reads the text form; `nil` when `text` is anything else.
    package init?(text: some StringProtocol) {
        guard text.utf8.count == 64 else { return nil }
        let halves = (text.prefix(32), text.suffix(32))
        guard let high = Identifier<Digest>(text: halves.0),
            let low = Identifier<Digest>(text: halves.1)
        else { return nil }
        self.bytes = high.bytes + low.bytes
    }

    package var description: String { String(hexOf: bytes) }
}
