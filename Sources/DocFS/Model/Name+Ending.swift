extension Name {
    /// Extensions that belong together with the one before them.
    private static let compounds: Set<String> = ["gz", "bz2", "xz", "zst", "lz", "lzma", "Z", "br"]

    /// The name without its extension, and the extension with its dot.
    ///
    /// A leading dot begins a hidden name, no extension; what is longer than 32 bytes, or has a
    /// space or a closing parenthesis in it, is none; `.tar.gz` and its like stay whole.
    package var parts: (stem: [UInt8], ending: [UInt8]) {
        guard let dot = Name.extensionDot(in: bytes[...]) else { return (bytes, []) }
        let last = String(decoding: bytes[(dot + 1)...], as: UTF8.self)
        if Name.compounds.contains(last), let inner = Name.extensionDot(in: bytes[..<dot]),
            dot - inner <= 5
        {
            return (Array(bytes[..<inner]), Array(bytes[inner...]))
        }
        return (Array(bytes[..<dot]), Array(bytes[dot...]))
    }

    private static func extensionDot(in name: ArraySlice<UInt8>) -> Int? {
        guard let dot = name.lastIndex(of: 0x2E), dot > 0, name.endIndex - dot <= 33,
            dot + 1 < name.endIndex, !name[dot...].contains(where: isOfText)
        else { return nil }
        return dot
    }

    /// A space or a closing parenthesis: titles have them, extensions do not.
    private static func isOfText(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x29 }

    /// At most `limit` bytes of `bytes`, without cutting a UTF-8 sequence in two.
    package static func cut(_ bytes: [UInt8], to limit: Int) -> [UInt8] {
        guard bytes.count > limit else { return bytes }
        var end = limit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return Array(bytes[..<(end == 0 ? limit : end)])
    }
}
