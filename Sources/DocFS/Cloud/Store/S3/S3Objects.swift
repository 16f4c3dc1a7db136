internal import Synchronization

/// The objects of one bucket: each request that the store and its probe make, with its answer read.
struct S3Objects: Sendable {
    let client: S3Client

    func request(
        _ method: String, _ key: String?, _ parameters: [(String, String)] = [],
        headers: [(String, String)] = [], source: String? = nil
    ) -> S3Request {
        S3Request(
            method, client.address, key: key, parameters, headers: headers, source: source)
    }

    // MARK: Reading

    /// The object at `key`; `nil` when the store answers that there is none, which it also does
    /// when the whole bucket is gone: ``page(_:isFlat:most:from:)`` tells these apart.
    func head(_ key: String) async throws(DocFSError) -> S3Object? {
        switch try await look(key) {
        case .success(let object): return object
        case .failure(let failure): throw failure.error
        }
    }

    /// As ``head(_:)``, with the refusal.
    ///
    /// - Throws: `.documentRefused` for one that changes each time that it is looked at.
    func look(_ key: String) async throws(DocFSError) -> Result<S3Object?, S3Failure> {
        for attempt in 1...Self.looks {
            let object: S3Object
            switch try await client.read(request("HEAD", key)) {
            case .success(let reply): object = try S3Object(reply)
            case .failure(let failure) where failure.status == 404: return .success(nil)
            case .failure(let failure):
                if failure.isForbidden, await isAbsent(key) { return .success(nil) }
                return .failure(failure)
            }
            guard object.mayBeTombstone else { return .success(object) }
            if let told = try await told(object, at: key) { return .success(told) }
            try await client.pause(attempt, atLeast: nil)
        }
        throw .documentRefused("it changes each time that it is looked at (\(key))")
    }

    private static let looks = 4

    /// The same object, a tombstone if its body is one's; `nil` where it has moved on.
    private func told(_ object: S3Object, at key: String) async throws(DocFSError) -> S3Object? {
        var told = object
        if object.size == S3Tombstone.size, client.isTombstone(object.tag) {
            told.metadata.kind = .tombstone
            return told
        }
        do throws(DocFSError) {
            let reply = try await get(key, tag: object.tag).reply
            let bytes = try await reply.bytes(atMost: Int(S3Tombstone.size))
            guard UInt64(bytes.count) == object.size else { return nil }
            let isTombstone = S3Tombstone.isBody(bytes, isLabelled: object.isTombstone)
            told.metadata.kind = isTombstone ? .tombstone : .file
            if isTombstone { client.note(tombstone: object.tag) }
        } catch .notFound {
            return nil
        } catch .refused {
            return nil
        } catch .corrupt {
            return nil
        } catch .documentRefused(let reason) {
            if client.isUnanswered(key) { throw .documentRefused(reason) }
            // Only its metadata is known.
            told.isDescribed = false
        }
        return told
    }

    /// Finds out whether the store calls absent what is: asks for a key that nobody uses.
    func askForWhatIsAbsent(_ key: String) async throws(DocFSError) {
        guard case .failure(let failure) = try await client.read(request("HEAD", key)) else {
            return
        }
        client.refusesWhatIsAbsent.store(failure.isForbidden, ordering: .relaxed)
    }

    /// Whether a listing says that there is nothing at `key`, where asking for it tells nothing.
    ///
    /// Who may list no more than a part of the bucket is refused what is not there (Amazon S3 API
    /// Reference, `GetObject`, "Permissions").
    private func isAbsent(_ key: String) async -> Bool {
        // Who may not list either learns nothing, and is refused.
        guard client.refusesWhatIsAbsent.load(ordering: .relaxed),
            let page = try? await page(key, isFlat: false, most: 1)
        else { return false }
        guard let first = page.objects.first else { return page.next == nil }
        return first.key != key
    }

    /// Begins to read a body.
    ///
    /// - Parameters:
    ///   - range: not empty; `nil` for the whole body.
    ///   - tag: the only revision that is wanted.
    /// - Throws: `.notFound`, `.refused` for another revision.
    func get(_ key: String, range: Range<UInt64>? = nil, tag: String? = nil)
        async throws(DocFSError) -> (object: S3Object, reply: HTTPReply)
    {
        var headers: [(String, String)] = []
        if let range {
            headers.append(("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        if let tag { headers.append(("if-match", S3Probe.TagForm.quoted.text(tag))) }
        switch try await client.read(request("GET", key, headers: headers)) {
        case .success(let reply):
            let object = try S3Object(reply)
            if let tag, object.tag != tag { throw .refused }
            return (object, reply)
        case .failure(let failure):
            if failure.isForbidden, await isAbsent(key) { throw .notFound }
            throw failure.error
        }
    }

    /// The whole body of a small object; `nil` when there is none.
    func small(_ key: String, atMost limit: Int) async throws(DocFSError)
        -> (object: S3Object, bytes: [UInt8])?
    {
        var attempt = 1
        while true {
            let (object, reply): (S3Object, HTTPReply)
            do throws(DocFSError) {
                (object, reply) = try await get(key)
            } catch .notFound {
                return nil
            }
            do throws(DocFSError) {
                let bytes = try await reply.bytes(atMost: limit)
                guard UInt64(bytes.count) == object.size else {
                    throw .corrupt("the store sent less than it announced")
                }
                return (object, bytes)
            } catch {
                // The head came, the rest did not.
                guard case .offline = error, attempt < 2 else { throw error }
                attempt += 1
            }
        }
    }

    /// One page of what begins with `prefix`.
    ///
    /// - Parameters:
    ///   - isFlat: whether what lies behind a further slash is told as one prefix.
    ///   - most: entries of a page.
    ///   - next: where the page before it ended.
    func page(_ prefix: String, isFlat: Bool, most: Int = 1000, from next: String? = nil)
        async throws(DocFSError) -> S3Listing
    {
        var parameters = [("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix)]
        if isFlat { parameters.append(("delimiter", "/")) }
        if most < 1000 { parameters.append(("max-keys", "\(most)")) }
        if let next { parameters.append(("continuation-token", next)) }
        switch try await client.read(request("GET", nil, parameters)) {
        case .success(let reply):
            var page = try S3Listing(try await reply.bytes(atMost: Self.largestPage))
            page.server = reply["server"] ?? ""
            page.date = reply["date"].flatMap(S3Time.seconds(http:))
            return page
        case .failure(let failure): throw failure.error
        }
    }

    /// Bytes of a page: a thousand keys of 1024 bytes, each of them escaped.
    private static let largestPage = 1 << 23
    /// Entries of one listing: more is no directory but a trap.
    private static let most = 2_000_000
    /// Bytes of their names: what is listed is held in memory.
    private static let mostNamed = 1 << 28
    /// Pages that follow each other and bring nothing new: more is a trap as well.
    private static let patience = 100

    /// Goes through all pages until `body` returns false.
    ///
    /// - Throws: `.corrupt` when the pages never end.
    func pages(
        _ prefix: String, isFlat: Bool, _ body: (S3Listing) async throws(DocFSError) -> Bool
    ) async throws(DocFSError) {
        var next: String?
        var first: String?
        var (count, named, stale) = (0, 0, 0)
        repeat {
            let page = try await page(prefix, isFlat: isFlat, from: next)
            count += page.objects.count + page.prefixes.count
            named += page.named
            let begins = page.objects.first?.key ?? page.prefixes.first
            stale = begins == nil || begins == first ? stale + 1 : 0
            let isSame = page.next != nil && page.next == next
            guard !isSame, count <= Self.most, named <= Self.mostNamed, stale <= Self.patience
            else {
                throw .corrupt("the store's listing does not end")
            }
            (next, first) = (page.next, begins)
            guard try await body(page) else { return }
        } while next != nil
    }

    // MARK: Changing

    /// Writes an object.
    ///
    /// - Parameters:
    ///   - payload: see ``S3Client/change(_:payload:attempts:body:look:)``.
    ///   - attempts: how often it is tried at most.
    ///   - body: makes the body of one attempt.
    /// - Returns: the revision, or the refusal.
    func put(
        _ key: String, _ metadata: S3Metadata, conditions: [(String, String)], payload: String,
        size: UInt64, attempts: Int = S3Client.attempts,
        body: () async throws(DocFSError) -> HTTPBody
    ) async throws(DocFSError) -> Result<S3Object, S3Failure> {
        let request = request("PUT", key, headers: metadata.headers + conditions)
        let change = try await client.change(
            request, payload: payload, attempts: attempts, body: body,
            look: { () async throws(DocFSError) -> S3Object? in
                try await self.own(key, metadata.operation)
            })
        switch change {
        case .found(let object): return .success(object)
        case .refused(let failure): return .failure(failure)
        case .answered(let reply):
            guard let tag = reply["etag"].map(S3Object.bare), !tag.isEmpty else {
                throw .outcomeUnknown("the store names no revision")
            }
            let stored = reply["date"].flatMap(S3Time.seconds(http:)) ?? 0
            var object = S3Object(tag: tag, size: size, stored: stored, metadata: metadata)
            object.version = S3Object.version(reply)
            return .success(object)
        }
    }

    /// Writes a small object.
    func put(
        _ key: String, _ bytes: [UInt8], _ metadata: S3Metadata,
        conditions: [(String, String)] = []
    ) async throws(DocFSError) -> Result<S3Object, S3Failure> {
        try await put(
            key, metadata, conditions: conditions, payload: S3Client.digest(bytes),
            size: UInt64(bytes.count),
            body: { () async throws(DocFSError) -> HTTPBody in .bytes(bytes) })
    }

    /// The object at `key` when `operation` wrote it.
    func own(_ key: String, _ operation: OperationID?) async throws(DocFSError) -> S3Object? {
        guard let operation, let found = try await head(key),
            found.metadata.operation == operation
        else { return nil }
        return found
    }

    /// How a copy names its source.
    func copySource(_ key: String) -> String {
        S3Request.encoded("/\(client.address.bucket)/\(key)", keeping: 0x2F)
    }

    /// Copies an object inside the store.
    ///
    /// - Parameters:
    ///   - metadata: the copy's; that of the source when `nil`.
    ///   - conditions: about the source and the destination.
    /// - Returns: the copy's revision, and version where the bucket has any; or the refusal.
    func copy(
        _ source: String, to key: String, _ metadata: S3Metadata?, conditions: [(String, String)]
    ) async throws(DocFSError) -> Result<(tag: String, version: String?), S3Failure> {
        var headers = [("x-amz-copy-source", copySource(source))] + conditions
        if let metadata {
            headers += [("x-amz-metadata-directive", "REPLACE")] + metadata.headers
            let tags = metadata.others.contains { $0.name == S3Metadata.tagging }
            if tags || metadata.tags > 0 { headers.append(S3Metadata.otherTags) }
        }
        let change = try await client.change(
            request("PUT", key, headers: headers, source: source), payload: S3Client.emptyDigest,
            body: { () async throws(DocFSError) -> HTTPBody in .none },
            look: { () async throws(DocFSError) -> S3Object? in
                try await self.own(key, metadata?.operation)
            })
        switch change {
        case .found(let object): return .success((object.tag, object.version))
        case .refused(let failure): return .failure(failure)
        case .answered(let reply):
            // A copy that fails late says so in the body of a success.
            let reader = S3XMLReader()
            try reader.read(try await reply.bytes(atMost: 1 << 16))
            guard reader.root == "CopyObjectResult", let tag = reader.first("ETag") else {
                throw .outcomeUnknown("a copy ended with \(reader.first("Code") ?? reader.root)")
            }
            return .success((S3Object.bare(tag), S3Object.version(reply)))
        }
    }

    /// Deletes an object, or one version of it.
    ///
    /// - Returns: `nil` when it is gone, or the refusal.
    func delete(_ key: String, version: String? = nil, conditions: [(String, String)] = [])
        async throws(DocFSError) -> S3Failure?
    {
        let change = try await client.change(
            request("DELETE", key, version.map { [("versionId", $0)] } ?? [], headers: conditions),
            payload: S3Client.emptyDigest,
            body: { () async throws(DocFSError) -> HTTPBody in .none },
            look: { () async throws(DocFSError) -> Bool? in
                // A version is deleted once more: that changes nothing.
                if version != nil { return nil }
                return try await self.head(key) == nil ? true : nil
            })
        guard case .refused(let failure) = change else { return nil }
        return failure.isAbsence ? nil : failure
    }
}
