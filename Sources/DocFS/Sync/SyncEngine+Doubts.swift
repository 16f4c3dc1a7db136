internal import Logging

/// Telling what was changed in the store from what was only copied or touched (S33).
extension SyncEngine {
    /// The body of an object that no device has put where it is, with its digest where only that
    /// tells whether it is the one that the log has: it has its size.
    ///
    /// Where to read costs requests, it is another one.
    ///
    /// - Returns: `nil` while it is being read, after which its path is looked at again.
    func identified(_ body: Body, at path: ItemPath, knownAs state: ItemState?) -> Body? {
        guard body.digest == nil, container.capabilities.cheapListing,
            let known = state?.content.body, known.digest != nil, known.size == body.size
        else { return body }
        switch doubts.answer(for: path, body) {
        case .digest(let digest)?:
            return Body(size: body.size, digest: digest, revision: body.revision)
        case .unknown?: return body
        case nil:
            readDoubtful()
            return nil
        }
    }

    private func readDoubtful() {
        while let (path, body) = doubts.next() {
            Task {
                let answer = await digest(of: body, at: path)
                doubts.finish(path, with: answer)
                readDoubtful()
                inbox.tell { $0.suspects.insert(path) }
            }
        }
    }

    private func digest(of body: Body, at path: ItemPath) async -> DoubtfulBodies.Answer? {
        let sink = HashingSink()
        do throws(DocFSError) {
            if body.size > 0 {
                try await container.store.read(
                    path, range: 0..<body.size, expecting: body.revision, into: sink)
            }
            return .digest(try sink.digest(of: body.size))
        } catch {
            log.debug("\(path) is taken as another body: \(error.sentence)")
            if case .offline = error { return nil }
            return .unknown
        }
    }
}
