extension CloudStore {
    /// As stores do that leave nothing.
    package func removeTombstones() async {}

    package func removeOld(_ found: StoredObject, storedUntil limit: Timestamp)
        async throws(DocFSError)
    {
        try await removeAsSeen(found, storedUntil: limit)
    }

    /// As stores do that remove under conditions: looked at once more, and removed as it was seen.
    func removeAsSeen(_ found: StoredObject, storedUntil limit: Timestamp)
        async throws(DocFSError)
    {
        do throws(DocFSError) {
            guard let object = try await stored(found.path), let time = object.stored,
                time <= limit, object.revision == found.revision
            else { return }
            if let revision = object.revision {
                try await remove(object.path, expecting: revision)
            } else {
                try await removeDirectory(object.path)
            }
        } catch .notFound {
            return
        } catch .refused {
            return
        } catch .notEmpty {
            return
        }
    }
}
