/// The digits of lower-case hexadecimal text, as ASCII.
let hexDigits = Array("0123456789abcdef".utf8)

extension String {
    /// Two lower-case hexadecimal digits for each byte.
    init(hexOf bytes: some Collection<UInt8>) {
        self.init(unsafeUninitializedCapacity: 2 * bytes.count) { text in
            var end = 0
            for byte in bytes {
                text.initializeElement(at: end, to: hexDigits[Int(byte >> 4)])
                text.initializeElement(at: end + 1, to: hexDigits[Int(byte & 15)])
                end += 2
            }
            return end
        }
    }
}
