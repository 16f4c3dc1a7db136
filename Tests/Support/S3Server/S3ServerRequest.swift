@testable import DocFS

/// One request as a server of S3's protocol reads it.
package struct S3ServerRequest: Sendable {
    package let method: String
    /// The object's, as bytes; `nil` for what is asked of all objects together.
    package let key: [UInt8]?
    /// Decoded, by name.
    package let query: [String: String]
    /// By lower-case name.
    package let headers: [String: String]
    package let body: [UInt8]

    /// Takes the first request out of what has come on a connection.
    ///
    /// - Returns: `nil` when not all of it is there yet.
    package init?(takingFrom bytes: inout [UInt8]) {
        guard let end = Self.endOfHead(bytes) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers[line[..<colon].lowercased()] = String(value)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard bytes.count >= end + 4 + length else { return nil }
        body = Array(bytes[(end + 4)..<(end + 4 + length)])
        bytes.removeFirst(end + 4 + length)
        self.headers = headers
        let words = (lines.first ?? "").split(separator: " ")
        method = words.first.map { String($0) } ?? ""
        let target = (words.count > 1 ? words[1] : "/").split(separator: "?", maxSplits: 1)
        key = Self.key(target.first ?? "/")
        query = Self.query(target.count > 1 ? target[1] : "")
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        var index = 0
        while index + 4 <= bytes.count {
            guard let next = bytes[index...].firstIndex(of: 0x0D) else { return nil }
            if next + 4 > bytes.count { return nil }
            if bytes[next + 1] == 0x0A, bytes[next + 2] == 0x0D, bytes[next + 3] == 0x0A {
                return next
            }
            index = next + 1
        }
        return nil
    }

    /// What stands behind the first name of a path, decoded.
    private static func key(_ path: Substring) -> [UInt8]? {
        let bytes = Array(path.utf8.dropFirst())
        guard let slash = bytes.firstIndex(of: 0x2F), slash + 1 < bytes.count else { return nil }
        return S3Request.decoded(Array(bytes[(slash + 1)...]))
    }

    private static func query(_ text: Substring) -> [String: String] {
        var query: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map {
                String(decoding: S3Request.decoded(Array($0.utf8)) ?? [], as: UTF8.self)
            }
            query[decoded[0]] = decoded.count > 1 ? decoded[1] : ""
        }
        return query
    }
}
