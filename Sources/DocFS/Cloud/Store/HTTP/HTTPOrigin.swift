/// A server: scheme, host and port (RFC 9110, 4.3.1).
///
/// Credentials never go to another one.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
    package var isSecure: Bool
    /// In lower case; an IPv6 address in brackets.
    package var host: String
    package var port: UInt16

    package init(isSecure: Bool, host: String, port: UInt16? = nil) {
        self.isSecure = isSecure
        self.host = host
        self.port = port ?? (isSecure ? 443 : 80)
    }

    /// Reads `http://HOST[:PORT]` or `https://HOST[:PORT]`, with or without a slash at the end;
    /// `nil` when `text` is anything else.
    package init?(text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        var rest = text.dropFirst(isSecure ? 8 : 7)
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        var port: UInt16?
        if let colon = rest.utf8.lastIndex(of: 0x3A), !rest[colon...].contains("]") {
            guard let number = UInt16(rest[rest.utf8.index(after: colon)...]), number > 0 else {
                return nil
            }
            port = number
            rest = rest[..<colon]
        }
        guard !rest.isEmpty, rest.utf8.allSatisfy(Self.isAllowed) else { return nil }
        self.init(isSecure: isSecure, host: rest.lowercased(), port: port)
    }

    /// The server of `url`, which is one of ours.
    init?(ofURL url: String) {
        let parts = url.utf8.split(separator: 0x2F, maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return nil }
        self.init(text: String(url[..<parts[2].endIndex]))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x5B, 0x5D, 0x3A: true
        default: false
        }
    }

    /// Requests do not leave this computer.
    ///
    /// That is `localhost`, or an address that says so (RFC 1122, 3.2.1.3; RFC 4291, 2.5.3): a
    /// name that only begins like one is anybody's.
    package var isLoopback: Bool {
        host == "localhost" || Self.isLoopbackIPv4(host) || Self.isLoopbackIPv6(host)
    }

    private static func isLoopbackIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        // Digits alone, without a zero before others: some read that as octal.
        let numbers = parts.compactMap { part in
            UInt8(part).flatMap { "\($0)" == part ? $0 : nil }
        }
        return parts.count == 4 && numbers.count == 4 && numbers[0] == 127
    }

    private static func isLoopbackIPv6(_ host: String) -> Bool {
        guard host.hasPrefix("["), host.hasSuffix("]") else { return false }
        let address = host.dropFirst().dropLast()
        let groups = address.split(separator: ":", omittingEmptySubsequences: false)
        if address == "::1" { return true }
        return groups.count == 8 && groups.dropLast().allSatisfy { UInt16($0, radix: 16) == 0 }
            && groups.last.flatMap { UInt16($0, radix: 16) } == 1
    }

    /// What the Host header says: the port only where it is not the scheme's own.
    var authority: String { port == (isSecure ? 443 : 80) ? host : "\(host):\(port)" }

    package var description: String { "\(isSecure ? "https" : "http")://\(authority)" }
}
