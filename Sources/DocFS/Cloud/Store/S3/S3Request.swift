/// One request to an S3-compatible store, before it is signed.
struct S3Request: Sendable {
    let method: String
    /// The keys that it is about: of a copy its source's too; none where it is about the bucket.
    let keys: [String]
    let origin: HTTPOrigin
    /// Encoded for the wire, and for the signature (RFC 3986: all but unreserved characters, and
    /// slashes).
    let path: String
    /// The query, encoded and sorted by name; empty when there is none.
    let query: String
    /// Lower-case names.
    ///
    /// Those that sign it are added later.
    var headers: [(String, String)]

    /// - Parameters:
    ///   - key: the object's; `nil` names the bucket itself.
    ///   - source: the key that a copy is made of.
    ///   - parameters: of the query, as they are.
    init(
        _ method: String, _ address: S3Address, key: String?,
        _ parameters: [(String, String)] = [], headers: [(String, String)] = [],
        source: String? = nil
    ) {
        self.method = method
        keys = [key, source].compactMap(\.self)
        origin = address.origin
        var path = ""
        if address.style == .path { path += "/" + Self.encoded(address.bucket) }
        if let key { path += "/" + Self.encoded(key, keeping: 0x2F) }
        self.path = path.isEmpty ? "/" : path
        query = parameters.map { (Self.encoded($0.0), Self.encoded($0.1)) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        self.headers = headers
    }

    var url: String { "\(origin)\(path)\(query.isEmpty ? "" : "?\(query)")" }

    /// - Parameter kept: a byte that stays as it is.
    static func encoded(_ text: String, keeping kept: UInt8? = nil) -> String {
        encoded(Array(text.utf8), keeping: kept)
    }

    static func encoded(_ plain: [UInt8], keeping kept: UInt8? = nil) -> String {
        var bytes: [UInt8] = []
        for byte in plain {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                bytes.append(byte)
            case _ where byte == kept:
                bytes.append(byte)
            default:
                bytes += [0x25, upperHexDigits[Int(byte >> 4)], upperHexDigits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Takes the encoding back; `nil` when a percent sign stands for nothing.
    static func decoded(_ encoded: [UInt8]) -> [UInt8]? {
        var plain: [UInt8] = []
        var rest = encoded[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                plain.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            plain.append(high << 4 | low)
        }
        return plain
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }

    private static let upperHexDigits = Array("0123456789ABCDEF".utf8)
}
