/// How a row keeps extended attributes: for each a name and a value, each as a little-endian 32-bit
/// length in bytes followed by that many bytes.
///
/// NULL when there are none.
enum AttributeCoding {
    static func encode(_ attributes: [ExtendedAttribute]) -> [UInt8]? {
        if attributes.isEmpty { return nil }
        var bytes: [UInt8] = []
        for attribute in attributes {
            append(Array(attribute.name.utf8), to: &bytes)
            append(attribute.value, to: &bytes)
        }
        return bytes
    }

    /// What cannot be read is left out: a damaged attribute never hides the document.
    static func decode(_ bytes: [UInt8]?) -> [ExtendedAttribute] {
        guard let bytes else { return [] }
        var attributes: [ExtendedAttribute] = []
        var rest = bytes[...]
        while let name = take(&rest), let value = take(&rest) {
            attributes.append(
                ExtendedAttribute(name: String(decoding: name, as: UTF8.self), value: value))
        }
        return attributes
    }

    private static func append(_ field: [UInt8], to bytes: inout [UInt8]) {
        let count = UInt32(field.count)
        for shift in stride(from: 0, to: 32, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
        }
        bytes.append(contentsOf: field)
    }

    private static func take(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.count >= 4 else { return nil }
        var count = 0
        for (index, byte) in rest.prefix(4).enumerated() { count |= Int(byte) << (8 * index) }
        rest = rest.dropFirst(4)
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
