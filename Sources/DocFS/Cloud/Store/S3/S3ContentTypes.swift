/// Content types by the extensions of names, as the user's document types and the system's table
/// have them.
struct S3ContentTypes: Sendable {
    /// The user's own.
    var types: [DocumentType] = []

    /// A type and its extensions, a line each (Debian's package media-types).
    private static let mimeTypesPath = "/etc/mime.types"

    /// By extensions in lower case; empty where the system has no table.
    private static let table: [String: String] =
        (try? Posix.contents(ofPath: mimeTypesPath))
        .map(parsed) ?? [:]

    /// The content type of a document of this name; `nil` where its extension says nothing.
    func type(of path: ItemPath) -> String? {
        if let type = path.name.flatMap(types.type)?.mime { return type }
        guard let name = path.name?.bytes, let dot = name.lastIndex(of: 0x2E), dot > 0 else {
            return nil
        }
        return Self.table[String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()]
    }

    static func parsed(_ bytes: [UInt8]) -> [String: String] {
        var table: [String: String] = [:]
        for line in bytes.split(separator: 0x0A) {
            let words = line.prefix { $0 != 0x23 }.split { $0 == 0x20 || $0 == 0x09 }
            guard let type = words.first, type.contains(0x2F),
                type.allSatisfy({ (0x21...0x7E).contains($0) })
            else { continue }
            for word in words.dropFirst() {
                table[String(decoding: word, as: UTF8.self).lowercased()] =
                    String(decoding: type, as: UTF8.self)
            }
        }
        return table
    }
}
