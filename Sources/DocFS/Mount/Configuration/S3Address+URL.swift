extension S3Address {
    /// Reads `s3://BUCKET[/PREFIX][?NAME=VALUE&…]`.
    ///
    /// Names are `endpoint` (default: that of Amazon's region), `region` (`us-east-1`), `style`
    /// (`path` where an endpoint is named, else `virtual`), `profile`, `credentials` and `ca`, both
    /// files. Keys are never part of it: everybody can read a command line.
    package init(url: String) throws(ConfigurationError) {
        let scheme = "s3://"
        guard url.hasPrefix(scheme) else {
            throw ConfigurationError("'\(url)' is not s3://BUCKET/PREFIX")
        }
        let parts = url.dropFirst(scheme.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let names = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        let bucket = String(names[0])
        guard !bucket.contains("@") else {
            throw ConfigurationError(
                "keys do not belong into an address: they are read from the environment or a file")
        }
        guard Self.isBucket(bucket) else {
            throw ConfigurationError("'\(bucket)' cannot be the name of a bucket")
        }
        let values = try Self.values(parts.count == 2 ? parts[1] : "")
        let region = values["region"] ?? "us-east-1"
        let endpoint = try Self.endpoint(values["endpoint"], region: region)
        let style = try Self.style(
            values["style"], isDefault: values["endpoint"] == nil, bucket: bucket)
        self.init(
            bucket: bucket, prefix: try Self.prefix(names.dropFirst()), endpoint: endpoint,
            region: region, style: style, profile: values["profile"],
            credentialsFile: values["credentials"], authorities: values["ca"])
    }

    /// What stores take (Amazon S3 User Guide, "Bucket naming rules"), and what older ones have.
    private static func isBucket(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count) && text != "..."
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }
    }

    /// Names, each with a slash behind it; a slash at the end of the address says nothing.
    private static func prefix(_ parts: some Sequence<Substring>) throws(ConfigurationError)
        -> String
    {
        var names: [Substring] = Array(parts)
        if names.last?.isEmpty == true { names.removeLast() }
        var prefix = ""
        for name in names {
            guard let plain = PercentText.decoded(name), Name(plain).isValid else {
                throw ConfigurationError("'\(name)' cannot be part of a prefix")
            }
            prefix += plain + "/"
        }
        return prefix
    }

    private static func values(_ query: Substring) throws(ConfigurationError) -> [String: String] {
        let known: Set<String> = ["endpoint", "region", "style", "profile", "credentials", "ca"]
        var values: [String: String] = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(pair[0])
            guard known.contains(name) else {
                let names = known.sorted().joined(separator: ", ")
                throw ConfigurationError("'\(name)' is not known in an address: \(names) are")
            }
            guard pair.count == 2, let value = PercentText.decoded(pair[1]), !value.isEmpty else {
                throw ConfigurationError("'\(name)' has no value")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw ConfigurationError("'\(name)' is said twice")
            }
        }
        return values
    }

    private static func endpoint(_ text: String?, region: String) throws(ConfigurationError)
        -> HTTPOrigin
    {
        guard let endpoint = HTTPOrigin(text: text ?? "https://s3.\(region).amazonaws.com") else {
            throw ConfigurationError(
                "'\(text ?? region)' is not http://HOST[:PORT] or https://HOST[:PORT]")
        }
        return endpoint
    }

    private static func style(_ text: String?, isDefault: Bool, bucket: String)
        throws(ConfigurationError) -> Style
    {
        guard let text else {
            // A certificate for *.HOST does not cover a bucket with dots.
            return isDefault && !bucket.contains(".") ? .virtualHost : .path
        }
        guard let style = Style(rawValue: text) else {
            throw ConfigurationError("'\(text)' is no style: path and virtual are")
        }
        return style
    }
}
