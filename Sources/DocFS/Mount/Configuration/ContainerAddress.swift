/// One cloud container of the configuration: the name that the mount shows and where it is kept.
package struct ContainerAddress: Hashable, Sendable {
    /// The scope's name in the mount's root.
    package let name: Name
    package let place: Place

    /// Where a container is kept.
    package enum Place: Hashable, Sendable {
        /// `file:///DIR`, an absolute path.
        case folder(String)
        /// `s3://BUCKET/PREFIX?…`.
        case s3(S3Address)
    }

    /// The name of a container that was given none.
    package static let defaultName = Name("Cloud")

    package init(name: Name, place: Place) {
        self.name = name
        self.place = place
    }

    package init(name: Name, folder: String) {
        self.init(name: name, place: .folder(folder))
    }

    /// The folder; `nil` for what lies on a server.
    package var folder: String? {
        if case .folder(let path) = place { path } else { nil }
    }

    /// Where its store is, for people; without anything secret.
    package var text: String {
        switch place {
        case .folder(let path): path
        case .s3(let address):
            "s3://\(address.bucket)/\(address.prefix) at \(address.endpoint)"
        }
    }

    /// The same with paths that do not depend on the working directory.
    package func resolved(_ absolute: (String) -> String) -> ContainerAddress {
        switch place {
        case .folder(let path): return ContainerAddress(name: name, folder: absolute(path))
        case .s3(var address):
            address.credentialsFile = address.credentialsFile.map(absolute)
            address.authorities = address.authorities.map(absolute)
            return ContainerAddress(name: name, place: .s3(address))
        }
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
        place = try ContainerAddress.place(of: url)
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

    private static func place(of url: String) throws(ConfigurationError) -> Place {
        guard let mark = url.range(of: "://") else {
            throw ConfigurationError(
                "'\(url)' is not an address: file:///DIR and s3://BUCKET/PREFIX are offered")
        }
        switch url[..<mark.lowerBound] {
        case "file":
            let path = url[mark.upperBound...]
            guard path.first == "/", let decoded = PercentText.decoded(path) else {
                throw ConfigurationError("'\(url)' is not file:/// and an absolute path")
            }
            return .folder(decoded)
        case "s3": return .s3(try S3Address(url: url))
        case let scheme:
            throw ConfigurationError(
                "'\(scheme)://' is not offered by this version: "
                    + "file:///DIR and s3://BUCKET/PREFIX are")
        }
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
