/// How long things have been where they are: Last-Modified, which the store sets at each write.
extension S3Store {
    package func stored(_ path: ItemPath) async throws(DocFSError) -> StoredObject? {
        try begin()
        guard let key = try await possibleKey(path), let object = try await objects.head(key),
            !object.isTombstone
        else { return nil }
        return Self.age(object.tag, object.stored, at: path)
    }

    /// Lists all keys that begin alike, a thousand by each request.
    package func stored(below directory: ItemPath, from next: String?) async throws(DocFSError)
        -> StoredPage
    {
        try begin()
        let prefix = try await self.key(directory) + "/"
        let page = try await objects.page(prefix, isFlat: false, from: next)
        var found = StoredPage(objects: [], next: page.next)
        for object in page.objects {
            guard object.key.utf8.starts(with: prefix.utf8) else {
                throw .corrupt("the store lists what it was not asked for")
            }
            let rest = object.key.utf8.dropFirst(prefix.utf8.count)
            let components = rest.split(separator: 0x2F, omittingEmptySubsequences: false)
            // Others' markers of directories.
            if components.contains(where: \.isEmpty) { continue }
            let names = components.map { S3Name.name(of: String(decoding: $0, as: UTF8.self)) }
            found.objects.append(
                Self.age(object.tag, object.stored, at: directory.appending(ItemPath(names))))
        }
        return found
    }

    /// - Parameter seconds: since 1970; 0 where the store does not say.
    private static func age(_ tag: String, _ seconds: Int64, at path: ItemPath) -> StoredObject {
        StoredObject(
            path: path, kind: .file, revision: Revision(tag),
            stored: seconds > 0 ? Timestamp(seconds: seconds) : nil)
    }
}
