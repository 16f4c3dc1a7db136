/// One cloud container of the configuration: the name that the mount shows and where it is kept.
package struct ContainerAddress: Hashable, Sendable {
    /// The scope's name in the mount's root.
    package let name: Name
    /// The folder behind `file:///DIR`: absolute.
    package let folder: String

    /// The name of a container that was given none.
    package static let defaultName = Name("Cloud")

    package init(name: Name, folder: String) {
        self.name = name
        self.folder = folder
    }

    /// Reads `[NAME=]URL`.
    package init(text: String) throws(ConfigurationError) {
        let parts = text.split(separator: "=", maxSplits: 1)
        if parts.count == 2, !parts[0].contains("://") {
            try self.init(name: String(parts[0]), url: String(parts[1]))
        } else {
            try self.init(name: ContainerAddress.defaultName.description, url: text)
        }
    }

    package init(name: String, url: String) throws(ConfigurationError) {
        self.name = try ContainerAddress.checked(name)
        folder = try ContainerAddress.folder(of: url)
    }

    private static func checked(_ text: String) throws(ConfigurationError) -> Name {
        let name = Name(text)
        guard name.isValid else {
            throw ConfigurationError("'\(text)' cannot be the name of a container")
        }
        if name == "Local" || name == ".docfs" {
            throw ConfigurationError(
                "'\(text)' is a name of the mount itself and cannot be the name of a container")
        }
        return name
    }

    private static func folder(of url: String) throws(ConfigurationError) -> String {
        guard let mark = url.range(of: "://") else {
            throw ConfigurationError("'\(url)' is not an address: file:///DIR is offered")
        }
        let scheme = url[..<mark.lowerBound]
        guard scheme == "file" else {
            throw ConfigurationError(
                "'\(scheme)://' is not offered by this version: file:///DIR is")
        }
        let path = url[mark.upperBound...]
        guard path.first == "/", let decoded = decoded(path) else {
            throw ConfigurationError("'\(url)' is not file:/// and an absolute path")
        }
        return decoded
    }

    /// `%20` and its like (RFC 3986, 2.1); `nil` when a percent sign stands for nothing.
    private static func decoded(_ path: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = path.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(rest.prefix(2)) ?? ""
            guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16), value != 0 else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// Where `other` first occurs.
    fileprivate func range(of other: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) {
                return start..<index(start, offsetBy: other.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
