/// Multipart uploads (Amazon S3 User Guide, "Uploading and copying objects using multipart
/// upload"): nobody sees anything of one before it is completed.
extension S3Objects {
    private static let largestAnswer = 1 << 16

    /// Begins an upload.
    ///
    /// One whose answer was lost is begun anew: it has no parts, and costs nothing.
    func beginUpload(_ key: String, _ metadata: S3Metadata) async throws(DocFSError)
        -> Result<S3Upload, S3Failure>
    {
        let begun = try await client.read(
            request("POST", key, [("uploads", "")], headers: metadata.headers))
        switch begun {
        case .failure(let failure): return .failure(failure)
        case .success(let reply):
            let reader = S3XMLReader()
            try reader.read(try await reply.bytes(atMost: Self.largestAnswer))
            guard reader.root == "InitiateMultipartUploadResult",
                let id = reader.first("UploadId"), !id.isEmpty
            else { throw .corrupt("the store names no upload") }
            return .success(S3Upload(key: key, id: id, metadata: metadata))
        }
    }

    /// Sends one part, again and again where that may help.
    ///
    /// - Parameters:
    ///   - number: from 1 on.
    ///   - payload: the part's SHA-256 in hexadecimal digits.
    ///   - body: makes the body of one attempt.
    /// - Returns: the part's tag, or the refusal.
    func putPart(
        _ number: Int, of upload: S3Upload, payload: String,
        body: () async throws(DocFSError) -> HTTPBody
    ) async throws(DocFSError) -> Result<String, S3Failure> {
        try await part(number, of: upload, headers: [], payload: payload, body: body) {
            (reply) throws(DocFSError) in reply["etag"].map(S3Object.bare)
        }
    }

    /// Has the store take one part out of another object.
    ///
    /// - Parameter condition: the header that names the source's revision.
    func copyPart(
        _ number: Int, of upload: S3Upload, from source: String, _ range: Range<UInt64>,
        condition: (String, String)
    ) async throws(DocFSError) -> Result<String, S3Failure> {
        let bytes = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        let headers = [
            ("x-amz-copy-source", copySource(source)), ("x-amz-copy-source-range", bytes),
            condition,
        ]
        return try await part(
            number, of: upload, from: source, headers: headers, payload: S3Client.emptyDigest,
            body: { () async throws(DocFSError) -> HTTPBody in .none }
        ) { (reply) async throws(DocFSError) in
            let reader = S3XMLReader()
            try reader.read(try await reply.bytes(atMost: Self.largestAnswer))
            guard reader.root == "CopyPartResult" else { return nil }
            return reader.first("ETag").map(S3Object.bare)
        }
    }

    private func part(
        _ number: Int, of upload: S3Upload, from source: String? = nil,
        headers: [(String, String)], payload: String,
        body: () async throws(DocFSError) -> HTTPBody,
        tag: (HTTPReply) async throws(DocFSError) -> String?
    ) async throws(DocFSError) -> Result<String, S3Failure> {
        let parameters = [("partNumber", "\(number)"), ("uploadId", upload.id)]
        let change: S3Client.Change<String>
        do throws(DocFSError) {
            change = try await client.change(
                request("PUT", upload.key, parameters, headers: headers, source: source),
                payload: payload, body: body,
                look: { () async throws(DocFSError) -> String? in nil })
        } catch .outcomeUnknown(let reason, let isOfDocument) {
            // Whether the store has a part makes no difference to anybody.
            if Task.isCancelled { throw .interrupted }
            throw isOfDocument ? .documentRefused(reason) : .offline(reason)
        }
        switch change {
        case .found(let tag): return .success(tag)
        case .refused(let failure): return .failure(failure)
        case .answered(let reply):
            guard let tag = try await tag(reply), !tag.isEmpty else {
                throw .offline("the store names no part")
            }
            return .success(tag)
        }
    }

    /// Makes the object of its parts.
    ///
    /// - Parameters:
    ///   - tags: those of all parts, in their order.
    ///   - size: bytes of all together.
    /// - Throws: `.outcomeUnknown` when the object may be there.
    func complete(
        _ upload: S3Upload, _ tags: [String], conditions: [(String, String)], size: UInt64
    ) async throws(DocFSError) -> Result<S3Object, S3Failure> {
        let parts = tags.enumerated().map { index, tag in
            "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let space = "http://s3.amazonaws.com/doc/2006-03-01/"
        let text = "<CompleteMultipartUpload xmlns=\"\(space)\">\(parts.joined())"
        let bytes = Array((text + "</CompleteMultipartUpload>").utf8)
        let change = try await client.change(
            request("POST", upload.key, [("uploadId", upload.id)], headers: conditions),
            payload: S3Client.digest(bytes),
            body: { () async throws(DocFSError) -> HTTPBody in .bytes(bytes) },
            look: { () async throws(DocFSError) -> S3Object? in
                try await self.own(upload.key, upload.metadata.operation)
            })
        switch change {
        case .found(let object): return .success(object)
        case .refused(let failure): return .failure(failure)
        case .answered(let reply): return try await completed(upload, size, reply)
        }
    }

    /// What an answer of success to a completion says: one that fails late says so in its body.
    private func completed(_ upload: S3Upload, _ size: UInt64, _ reply: HTTPReply)
        async throws(DocFSError) -> Result<S3Object, S3Failure>
    {
        let reader = S3XMLReader()
        do throws(DocFSError) {
            try reader.read(try await reply.bytes(atMost: Self.largestAnswer))
            if reader.root == "CompleteMultipartUploadResult",
                let tag = reader.first("ETag").map(S3Object.bare), !tag.isEmpty
            {
                let stored = reply["date"].flatMap(S3Time.seconds(http:)) ?? 0
                var object = S3Object(
                    tag: tag, size: size, stored: stored, metadata: upload.metadata)
                object.version = S3Object.version(reply)
                return .success(object)
            }
            if let object = try await own(upload.key, upload.metadata.operation) {
                return .success(object)
            }
        } catch {
            throw .outcomeUnknown(error.sentence)
        }
        let code = reader.first("Code") ?? reader.root
        if code == "PreconditionFailed" {
            return .failure(S3Failure(status: 412, retryAfter: nil))
        }
        throw .outcomeUnknown("a completion ended with \(code)")
    }

    /// Gives an upload up: the store forgets its parts.
    ///
    /// - Returns: whether there is none any more.
    func abort(_ upload: S3Upload) async throws(DocFSError) -> Bool {
        let change = try await client.change(
            request("DELETE", upload.key, [("uploadId", upload.id)]),
            payload: S3Client.emptyDigest,
            body: { () async throws(DocFSError) -> HTTPBody in .none },
            look: { () async throws(DocFSError) -> Bool? in nil })
        guard case .refused(let failure) = change else { return true }
        return failure.code == "NoSuchUpload"
    }
}
