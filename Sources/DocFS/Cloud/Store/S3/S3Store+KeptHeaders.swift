internal import Synchronization

/// What other programs keep beside a document: headers, tags and an access control list. Its edits
/// and renames keep them.
///
/// They are sent with the request that writes the object, so that nobody sees it without them.
extension S3Store {
    /// The headers of what is written at a path.
    ///
    /// - Parameter key: that of the object whose place it takes; `nil` for a new document.
    func keptHeaders(at path: ItemPath, replacing key: String?) async throws(DocFSError)
        -> [S3Metadata.Header]
    {
        // Nobody else puts anything beside the container's own files.
        if S3Keys.isOwn(path) { return [] }
        guard let key else { return withContentType([], at: path) }
        async let granted = Result(awaiting: { () async throws(DocFSError) in
            try await grants(at: key)
        })
        guard let there = try await objects.head(key), there.metadata.kind == .file else {
            return withContentType([], at: path)
        }
        let described = there.metadata.others.filter {
            !S3Metadata.isOfBody($0.name) && !S3Metadata.isModeOfLink($0)
        }
        let kept = try await described + tags(of: there, at: key) + granted.get()
        return withContentType(kept, at: path)
    }

    /// The headers of a copy at a path where nothing is.
    ///
    /// In the trash nobody else may read it, nor where it is known to become another document.
    ///
    /// - Parameters:
    ///   - source: the object that is copied.
    ///   - path: where from.
    ///   - item: whose copy it is.
    func keptHeaders(
        of source: S3Object, at key: String, _ path: ItemPath, copiedTo destination: ItemPath,
        as item: ItemID
    ) async throws(DocFSError) -> [S3Metadata.Header] {
        guard source.metadata.kind == .file else { return source.metadata.others }
        var kept = try await source.metadata.others + tags(of: source, at: key)
        if S3Keys.isOwn(destination) { return kept }
        if (source.metadata.item ?? item) == item { kept += try await grants(at: key) }
        return withContentType(kept, at: destination, before: path)
    }

    /// The same with the content type of a document of that name, where no other was chosen.
    ///
    /// - Parameter former: the path that it had its content type for.
    private func withContentType(
        _ headers: [S3Metadata.Header], at path: ItemPath, before former: ItemPath? = nil
    ) -> [S3Metadata.Header] {
        let named = headers.first { $0.name == "content-type" }?.value
        let isChosen =
            named != nil && named != Self.defaultContentType
            && named != former.flatMap(contentTypes.type)
        guard !isChosen, let type = contentTypes.type(of: path) else { return headers }
        return headers.filter { $0.name != "content-type" }
            + [S3Metadata.Header(name: "content-type", value: type)]
    }

    /// What S3 gives an object whose writer named no content type (Amazon S3 API Reference,
    /// `PutObject`).
    private static let defaultContentType = "binary/octet-stream"

    /// An object's tags, as the header that sets them.
    private func tags(of object: S3Object, at key: String) async throws(DocFSError)
        -> [S3Metadata.Header]
    {
        guard object.metadata.tags > 0,
            let reader = try await objects.subresource("tagging", of: key, root: "Tagging")
        else { return [] }
        var tags: [(name: String, value: String)] = []
        for element in reader.elements {
            switch element.path {
            case "TagSet/Tag": tags.append(("", ""))
            case "TagSet/Tag/Key" where !tags.isEmpty: tags[tags.count - 1].name = element.text
            case "TagSet/Tag/Value" where !tags.isEmpty: tags[tags.count - 1].value = element.text
            default: break
            }
        }
        if tags.isEmpty { return [] }
        let value = tags.map { "\(S3Request.encoded($0.name))=\(S3Request.encoded($0.value))" }
            .joined(separator: "&")
        return [S3Metadata.Header(name: S3Metadata.tagging, value: value)]
    }

    private func accessControl(of key: String) async throws(DocFSError) -> S3AccessControl? {
        try await objects.subresource("acl", of: key, root: "AccessControlPolicy")
            .flatMap(S3AccessControl.init)
    }

    /// The headers that grant what is granted of the object at `key`; none where only its owner may
    /// do anything with it.
    private func grants(at key: String) async throws(DocFSError) -> [S3Metadata.Header] {
        guard let list = try await accessControl(of: key), !list.isPrivate,
            let account = try await account()
        else { return [] }
        return list.headers(for: account)
    }

    /// The canonical ID of the account that owns what is written with these credentials; `nil`
    /// where it cannot be found out.
    ///
    /// A small object is written for it each time: other credentials may be another account's.
    private func account() async throws(DocFSError) -> String? {
        // Else each would stay.
        if found.withLock({ $0.rights?.deletesRefused }) != nil { return nil }
        let key = try keys.key(ItemPath(".docfs/tmp/probe-owner-\(Self.drawn())"))
        do throws(DocFSError) {
            guard
                case .success = try await objects.put(
                    key, [], S3Metadata(operation: Self.drawn()))
            else { return nil }
            let list = try await accessControl(of: key)
            _ = try await objects.delete(key)
            return list?.owner
        } catch .outcomeUnknown(let reason, _) {
            // That says nothing of the document, which has yet to be sent.
            throw .offline(reason)
        }
    }
}

extension S3Objects {
    /// What the store tells of an object beside its headers; `nil` where it refuses the question,
    /// or does not understand it.
    ///
    /// - Parameters:
    ///   - name: `acl` or `tagging`.
    ///   - root: the element that an answer consists of.
    /// - Throws: `.offline` where the store is busy: what is not known now may be something.
    fileprivate func subresource(_ name: String, of key: String, root: String)
        async throws(DocFSError) -> S3XMLReader?
    {
        switch try await client.read(request("GET", key, [(name, "")])) {
        case .failure(let failure) where [408, 429, 503].contains(failure.status):
            throw failure.error
        // Some have no answer but an error of theirs.
        case .failure: return nil
        case .success(let reply):
            let reader = try await Self.xml(reply)
            return reader?.root == root ? reader : nil
        }
    }
}
