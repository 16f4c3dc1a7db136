/// What the bucket itself is set to (Amazon S3 API Reference, `GetBucketVersioning`,
/// `GetBucketLifecycleConfiguration`, `ListObjectVersions`).
///
/// Not every store knows these questions, nor may everybody ask.
extension S3Objects {
    private static let largestAnswer = 1 << 20

    /// Whether the bucket keeps versions of its objects: `Enabled`, `Suspended`, or an empty text
    /// for never; `nil` where that is not told.
    func versioning() async throws(DocFSError) -> String? {
        guard let reader = try await setting([("versioning", "")]) else { return nil }
        // moto calls it by the name of an older protocol.
        return reader.root.contains("Versioning") ? reader.first("Status") ?? "" : nil
    }

    /// The rules by which the store itself removes or archives objects, as far as it tells.
    func lifecycle() async throws(DocFSError) -> [S3LifecycleRule] {
        try await setting([("lifecycle", "")]).map(S3LifecycleRule.all) ?? []
    }

    /// What a version of an object has taken the place of.
    enum Predecessor: Sendable {
        /// Nothing, or what was deleted.
        case none
        /// An object with this tag.
        case object(String)
        /// The store does not tell.
        case unknown
    }

    /// What lay at `key` before `version` was written.
    func predecessor(of version: String, at key: String) async throws(DocFSError) -> Predecessor {
        let parameters = [("versions", ""), ("prefix", key), ("encoding-type", "url")]
        guard let reader = try await setting(parameters), reader.root.hasPrefix("ListVersions")
        else { return .unknown }
        // Versions of one key come in a row, the last one first.
        var versions: [(key: String?, version: String?, tag: String?)] = []
        for element in reader.elements {
            switch element.path {
            case "Version", "DeleteMarker": versions.append((nil, nil, nil))
            case "Version/Key", "DeleteMarker/Key":
                versions[versions.count - 1].key = try? S3Listing.decoded(element.text)
            case "Version/VersionId", "DeleteMarker/VersionId":
                versions[versions.count - 1].version = element.text
            case "Version/ETag": versions[versions.count - 1].tag = S3Object.bare(element.text)
            default: break
            }
        }
        guard let own = versions.firstIndex(where: { $0.key == key && $0.version == version })
        else {
            return .unknown
        }
        let next = versions[(own + 1)...].first { $0.key == key }
        return next?.tag.map(Predecessor.object) ?? .none
    }

    /// An answer about the bucket; `nil` where the store refuses the question, or does not
    /// understand it.
    private func setting(_ parameters: [(String, String)]) async throws(DocFSError)
        -> S3XMLReader?
    {
        switch try await client.read(request("GET", nil, parameters)) {
        case .failure: return nil
        case .success(let reply): return try await Self.xml(reply)
        }
    }

    /// What an answer says; `nil` when it is none that this protocol knows.
    static func xml(_ reply: HTTPReply) async throws(DocFSError) -> S3XMLReader? {
        let reader = S3XMLReader()
        do throws(DocFSError) {
            try reader.read(try await reply.bytes(atMost: largestAnswer))
        } catch .corrupt {
            return nil
        }
        return reader
    }
}
