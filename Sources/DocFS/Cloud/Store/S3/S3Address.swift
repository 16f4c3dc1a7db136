/// Where a container lies on an S3-compatible store.
package struct S3Address: Hashable, Sendable {
    /// How a request names its bucket.
    package enum Style: String, Hashable, Sendable {
        /// `https://HOST/BUCKET/KEY`.
        case path
        /// `https://BUCKET.HOST/KEY`.
        case virtualHost = "virtual"
    }

    package var bucket: String
    /// What every key begins with: empty, or names each followed by a slash.
    package var prefix: String
    package var endpoint: HTTPOrigin
    /// As in the scope of a signature.
    package var region: String
    package var style: Style
    /// The section of the shared AWS configuration files; `nil` is the environment's, else
    /// `default`.
    package var profile: String?
    /// A file of mode 0600 with the keys, instead of the environment and the shared files.
    package var credentialsFile: String?
    /// A PEM file with certificates that are trusted beside the system's.
    package var authorities: String?

    package init(
        bucket: String, prefix: String, endpoint: HTTPOrigin, region: String, style: Style,
        profile: String? = nil, credentialsFile: String? = nil, authorities: String? = nil
    ) {
        self.bucket = bucket
        self.prefix = prefix
        self.endpoint = endpoint
        self.region = region
        self.style = style
        self.profile = profile
        self.credentialsFile = credentialsFile
        self.authorities = authorities
    }

    /// Where requests go: the endpoint, or the bucket's own host there.
    var origin: HTTPOrigin {
        switch style {
        case .path: endpoint
        case .virtualHost:
            HTTPOrigin(
                isSecure: endpoint.isSecure, host: "\(bucket).\(endpoint.host)",
                port: endpoint.port)
        }
    }
}
