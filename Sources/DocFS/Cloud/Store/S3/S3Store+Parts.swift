internal import FoundationEssentials

/// Large bodies: in parts, a few of them at once, each sent again by itself.
///
/// Only where the store was found to complete an upload under the condition of the write. What an
/// upload that was cut off left is aborted days later, by whoever attaches: an object below
/// `.docfs/uploads` names it, which goes with it.
extension S3Store {
    /// The headers that make a completion conditional; `nil` where the store takes no notice of
    /// them.
    private func completion(_ condition: WriteCondition) -> [(String, String)]? {
        switch condition {
        case .absent: probe.completesIfAbsent ? [("if-none-match", "*")] : nil
        case .revision(let revision):
            probe.completes.map { [("if-match", $0.text(revision.token))] }
        }
    }

    /// The source of a body that is to go in parts; `nil` when it goes in one request.
    ///
    /// - Throws: `.tooLargeForStore` when it can go in neither.
    func sourceOfParts(_ body: S3Body, _ condition: WriteCondition)
        throws(DocFSError) -> (any ByteSource)?
    {
        if body.size > limits.whole, let source = body.source, completion(condition) != nil {
            return source
        }
        if body.size > limits.largest { throw .tooLargeForStore }
        return nil
    }

    /// Writes an object in parts, under a condition.
    ///
    /// What is refused in the end is refused before anything is sent, where that is known by then.
    func putInParts(
        _ key: String, _ metadata: S3Metadata, _ body: S3Body, of source: any ByteSource,
        _ condition: WriteCondition, keeping keep: ItemPath?
    ) async throws(DocFSError) -> S3Object {
        let there = try await objects.head(key)
        let isAsWanted =
            switch condition {
            case .absent: there == nil
            case .revision(let expected): there?.revision == expected
            }
        guard isAsWanted, let conditions = completion(condition) else {
            return try await afterRefusal(key, metadata, body, condition, keeping: keep)
        }
        let result = try await upload(key, metadata, size: body.size, condition, conditions) {
            (upload, renew) async throws(DocFSError) in
            let tags = try await self.send(source, body, to: upload, renew)
            if case .revision(let base) = condition, let keep {
                try await self.keep(key, base, at: keep)
            }
            return tags
        }
        switch result {
        case .success(let object): return object
        case .failure(let failure) where failure.error == .refused || failure.isAbsence:
            return try await afterRefusal(key, metadata, body, condition, keeping: keep)
        case .failure(let failure): throw failure.error
        }
    }

    /// Begins an upload, has its parts sent and completes it; aborts it when any of that fails.
    ///
    /// - Parameter send: sends the parts, and returns their tags; it calls what it is given now and
    ///   then.
    private func upload(
        _ key: String, _ metadata: S3Metadata, size: UInt64, _ condition: WriteCondition?,
        _ conditions: [(String, String)],
        send: (S3Upload, () async throws(DocFSError) -> Void) async throws(DocFSError) -> [String]
    ) async throws(DocFSError) -> Result<S3Object, S3Failure> {
        let upload: S3Upload
        switch try await objects.beginUpload(key, metadata) {
        case .success(let begun): upload = begun
        case .failure(let failure):
            guard let less = metadata.without(refusedBy: failure) else { return .failure(failure) }
            return try await self.upload(
                key, less, size: size, condition, conditions, send: send)
        }
        let note = "\(uploads)\(Self.drawn())"
        do throws(DocFSError) {
            try await write(note, of: upload)
            var renewed = ContinuousClock.now
            let tags = try await send(upload) { () async throws(DocFSError) in
                guard ContinuousClock.now > renewed + Self.renewal else { return }
                renewed = ContinuousClock.now
                try await self.write(note, of: upload)
            }
            if Task.isCancelled { throw .interrupted }
            let result = try await objects.complete(
                upload, tags, conditions: conditions, size: size)
            guard case .success(let object) = result else {
                await abandon(upload, note)
                return result
            }
            // The object is there. A note that stays is taken away days later.
            _ = try? await objects.delete(note)
            if let condition { try await checkVersion(of: object, at: key, condition) }
            return result
        } catch {
            // What may yet be completed is left alone, and aborted later if it was not.
            if case .outcomeUnknown = error { throw error }
            await abandon(upload, note)
            throw error
        }
    }

    /// How often a note is written anew, so that what is under way is not taken for what was cut
    /// off.
    private static let renewal = Duration.seconds(3_600)

    private func write(_ note: String, of upload: S3Upload) async throws(DocFSError) {
        let content = S3UploadNote(key: upload.key, upload: upload.id)
        // Two strings can always be encoded.
        guard let bytes = try? JSONEncoder().encode(content) else { throw .invalidArgument }
        if case .failure(let failure) = try await objects.put(
            note, Array(bytes), S3Metadata(operation: Self.drawn()))
        {
            throw failure.error
        }
    }

    /// Aborts an upload, also when the task that made it was cancelled.
    private func abandon(_ upload: S3Upload, _ note: String) async {
        let objects = objects
        await Task {
            // What is not aborted now keeps its note, and is aborted days later.
            guard let isGone = try? await objects.abort(upload), isGone else { return }
            _ = try? await objects.delete(note)
        }.value
    }

    // MARK: Parts

    /// Sends all parts of a source, whose bytes must hash to what was announced.
    private func send(
        _ source: any ByteSource, _ body: S3Body, to upload: S3Upload,
        _ renew: () async throws(DocFSError) -> Void
    ) async throws(DocFSError) -> [String] {
        var whole = SHA256()
        let tags = try await inParts(S3Limits.parts(of: body.size, limits.part)) {
            (number, range) async throws(DocFSError) in
            try await renew()
            let digest = try Self.digest(of: source, range, addingTo: &whole)
            return { () async throws(DocFSError) in
                try await self.objects.putPart(
                    number, of: upload, payload: digest.description,
                    body: { () async throws(DocFSError) -> HTTPBody in
                        .upload(
                            HTTPUpload(
                                size: UInt64(range.count), digest: digest,
                                pieces: { HTTPSourcePieces(source, range) },
                                beforeLast: { () async throws(DocFSError) in }))
                    })
            }
        }
        var rest: [UInt8] = [0]
        let result = rest.withUnsafeMutableBytes { space in
            Result { () throws(DocFSError) in try source.read(into: space, at: body.size) }
        }
        guard try result.get() == 0 else { throw .bodyChanged }
        if let digest = body.digest, whole.digest() != digest { throw .bodyChanged }
        return tags
    }

    /// A few parts at once, begun in their order.
    ///
    /// - Parameter begin: prepares a part, and returns what sends it.
    private func inParts(
        _ ranges: [Range<UInt64>],
        begin: (Int, Range<UInt64>) async throws(DocFSError) ->
            @Sendable () async throws(DocFSError) -> Result<String, S3Failure>
    ) async throws(DocFSError) -> [String] {
        do {
            return try await withThrowingTaskGroup(of: (Int, String).self) { group in
                var tags = [String](repeating: "", count: ranges.count)
                for (index, range) in ranges.enumerated() {
                    if index >= S3Limits.parallel, let (done, tag) = try await group.next() {
                        tags[done] = tag
                    }
                    let send = try await begin(index + 1, range)
                    group.addTask {
                        switch try await send() {
                        case .success(let tag): return (index, tag)
                        case .failure(let failure): throw failure.error
                        }
                    }
                }
                while let (done, tag) = try await group.next() { tags[done] = tag }
                return tags
            }
        } catch let error as DocFSError {
            throw error
        } catch {
            throw .interrupted
        }
    }

    private static func digest(
        of source: any ByteSource, _ range: Range<UInt64>, addingTo whole: inout SHA256
    ) throws(DocFSError) -> Digest {
        var hash = SHA256()
        var offset = range.lowerBound
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { space.deallocate() }
        while offset < range.upperBound {
            let wanted = min(space.count, Int(range.upperBound - offset))
            let count = try source.read(into: .init(rebasing: space[..<wanted]), at: offset)
            if count == 0 { throw .bodyChanged }
            let bytes = UnsafeRawBufferPointer(rebasing: space[..<count])
            hash.update(bytes)
            whole.update(bytes)
            offset += UInt64(count)
        }
        return hash.digest()
    }

    // MARK: Copies

    /// Has the store copy what is too large for one copy.
    ///
    /// - Parameters:
    ///   - header: by which it copies one revision only.
    ///   - condition: what must be at `key`; `nil` when nobody contests that name.
    /// - Throws: `.tooLargeForStore` where it does not complete under that condition.
    func copyInParts(
        _ found: S3Object, _ source: String, header: String, to key: String,
        _ metadata: S3Metadata, _ condition: WriteCondition?
    ) async throws(DocFSError) -> S3Object {
        let isFree = condition == nil || (condition == .absent && isOwn(key))
        guard let conditions = condition.flatMap(completion) ?? (isFree ? [] : nil) else {
            throw .tooLargeForStore
        }
        let ranges = S3Limits.parts(of: found.size, limits.copiedPart)
        let revision = (header, S3Probe.TagForm.quoted.text(found.tag))
        let result = try await upload(key, metadata, size: found.size, condition, conditions) {
            (upload, renew) async throws(DocFSError) in
            let tags = try await self.inParts(ranges) { (number, range) async throws(DocFSError) in
                try await renew()
                return { () async throws(DocFSError) in
                    try await self.objects.copyPart(
                        number, of: upload, from: source, range, condition: revision)
                }
            }
            // Whether the condition counts for parts too was not tried.
            guard try await self.objects.head(source)?.tag == found.tag else { throw .refused }
            return tags
        }
        return try result.mapError(\.error).get()
    }

    // MARK: What was cut off

    /// What the keys of notes begin with.
    private var uploads: String { "\(keys.prefix).docfs/uploads/" }

    /// Aborts uploads that were begun long ago, by the store's own clock, and never ended.
    func abortLeftovers() async throws(DocFSError) {
        guard probe.completesIfAbsent || probe.completes != nil else { return }
        var old: [String] = []
        try await objects.pages(uploads, isFlat: true) { (page) throws(DocFSError) in
            guard let now = page.date else { return false }
            for object in page.objects where now - object.stored >= self.limits.leftover {
                old.append(object.key)
            }
            return true
        }
        for note in old {
            guard let (object, bytes) = try await objects.small(note, atMost: 1 << 16) else {
                continue
            }
            // A note that makes no sense names no upload, and goes.
            if let content = try? JSONDecoder().decode(S3UploadNote.self, from: Data(bytes)),
                content.key.utf8.starts(with: keys.prefix.utf8)
            {
                let upload = S3Upload(
                    key: content.key, id: content.upload, metadata: object.metadata)
                guard try await objects.abort(upload) else { continue }
            }
            _ = try await objects.delete(note)
        }
    }
}
