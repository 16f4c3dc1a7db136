internal import Synchronization

/// Tries what a store does with every condition, on objects of its own below `.docfs/tmp`.
///
/// Each condition is tried with a value that is not so, which must be refused and change nothing,
/// and with one that is so, which must be done: a store that takes no notice of a condition, and
/// one that refuses it always, are both found out.
struct S3Prober: Sendable {
    private let objects: S3Objects
    /// What the keys of this run begin with.
    private let place: String

    init(_ objects: S3Objects, _ keys: S3Keys) {
        self.objects = objects
        var random = SystemRandomNumberGenerator()
        place = "\(keys.prefix).docfs/tmp/probe-\(OperationID(using: &random))-"
    }

    private static let stale = "00000000000000000000000000000000"

    /// - Throws: what keeps the store from being asked at all.
    func run() async throws(DocFSError) -> S3Probe {
        var probe = S3Probe()
        let first = try await make("a", "one")
        probe.givesVersions = first.version != nil
        let two = try await make("b", "two").tag
        if try await isRefused("a", [("if-none-match", "*")]) {
            probe.createsIfAbsent = try await isDoneTwice("c", [("if-none-match", "*")])
        }
        probe.winnersOfEight = try await race { (number) async throws(DocFSError) in
            try await isDone("race", [("if-none-match", "*")], "by \(number)")
        }
        for form in [S3Probe.TagForm.quoted, .bare] where probe.replaces == nil {
            if try await isRefused("a", [("if-match", form.text(Self.stale))]),
                try await isDone("a", [("if-match", form.text(first.tag))])
            {
                probe.replaces = form
            }
        }
        let now = try await make("a", "one").tag
        try await tryCopies(&probe, source: now, destination: two)
        for form in [S3Probe.TagForm.quoted, .bare] where probe.removes == nil {
            let tag = try await make("d", "four").tag
            if try await objects.delete(
                place + "d", conditions: [("if-match", form.text(Self.stale))]) != nil,
                try await objects.head(place + "d") != nil,
                try await objects.delete(
                    place + "d", conditions: [("if-match", form.text(tag))]) == nil,
                try await objects.head(place + "d") == nil
            {
                probe.removes = form
            }
        }
        probe.removesUnchanged = try await isLeftAlone("j")
        try await tryParts(&probe)
        probe.checksBodies = try await isDamageRefused()
        if objects.client.hasSeenVersions.load(ordering: .relaxed) { probe.givesVersions = true }
        for name in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "race", "race of parts"] {
            _ = try await objects.delete(place + name)
        }
        return probe
    }

    private func tryCopies(_ probe: inout S3Probe, source: String, destination: String)
        async throws(DocFSError)
    {
        // The name in the Amazon S3 API Reference, and the one that Ceph's gateway reads.
        for header in ["x-amz-copy-source-if-match", "x-amz-copy-if-match"]
        where probe.copySource == nil {
            let quoted = S3Probe.TagForm.quoted
            if try await !isCopied(to: "e", [(header, quoted.text(Self.stale))]),
                try await objects.head(place + "e") == nil,
                try await isCopied(to: "e", [(header, quoted.text(source))])
            {
                probe.copySource = header
            }
            _ = try await objects.delete(place + "e")
        }
        if try await !isCopied(to: "b", [("if-none-match", "*")]),
            try await objects.head(place + "b")?.tag == destination
        {
            probe.copiesIfAbsent = try await isCopied(to: "f", [("if-none-match", "*")])
        }
        for form in [S3Probe.TagForm.quoted, .bare] where probe.copyReplaces == nil {
            let there = try await make("g", "five").tag
            if try await !isCopied(to: "g", [("if-match", form.text(Self.stale))]),
                try await objects.head(place + "g")?.tag == there,
                try await isCopied(to: "g", [("if-match", form.text(there))])
            {
                probe.copyReplaces = form
            }
        }
    }

    private func tryParts(_ probe: inout S3Probe) async throws(DocFSError) {
        let there = try await make("h", "six").tag
        if try await !isCompleted("h", [("if-none-match", "*")]),
            try await objects.head(place + "h")?.tag == there,
            try await isCompleted("i", [("if-none-match", "*")])
        {
            let winners = try await race { (_) async throws(DocFSError) in
                try await isCompleted("race of parts", [("if-none-match", "*")])
            }
            probe.completesIfAbsent = winners == 1
        }
        for form in [S3Probe.TagForm.quoted, .bare] where probe.completes == nil {
            let there = try await make("h", "seven").tag
            if try await !isCompleted("h", [("if-match", form.text(Self.stale))]),
                try await objects.head(place + "h")?.tag == there,
                try await isCompleted("h", [("if-match", form.text(there))])
            {
                probe.completes = form
            }
        }
    }

    // MARK: One try

    private func put(_ name: String, _ text: String, _ conditions: [(String, String)])
        async throws(DocFSError) -> Result<S3Object, S3Failure>
    {
        var random = SystemRandomNumberGenerator()
        return try await objects.put(
            place + name, Array(text.utf8), S3Metadata(operation: OperationID(using: &random)),
            conditions: conditions)
    }

    /// Writes without a condition.
    private func make(_ name: String, _ text: String) async throws(DocFSError) -> S3Object {
        switch try await put(name, text, []) {
        case .success(let object): return object
        case .failure(let failure): throw failure.error
        }
    }

    /// Whether a write is refused and changes nothing.
    private func isRefused(_ name: String, _ conditions: [(String, String)])
        async throws(DocFSError) -> Bool
    {
        let before = try await objects.head(place + name)
        guard case .failure(let failure) = try await put(name, "refused", conditions),
            failure.status == 412
        else { return false }
        return try await objects.head(place + name) == before
    }

    private func isDone(
        _ name: String, _ conditions: [(String, String)], _ text: String = "done"
    ) async throws(DocFSError) -> Bool {
        guard case .success = try await put(name, text, conditions) else { return false }
        return true
    }

    /// Whether a write is done where nothing is, and where nothing is any more.
    private func isDoneTwice(_ name: String, _ conditions: [(String, String)])
        async throws(DocFSError) -> Bool
    {
        guard try await isDone(name, conditions),
            try await objects.delete(place + name) == nil
        else { return false }
        return try await isDone(name, conditions)
    }

    /// Whether an upload of one part becomes the object `name`.
    private func isCompleted(_ name: String, _ conditions: [(String, String)])
        async throws(DocFSError) -> Bool
    {
        let bytes = Array("part".utf8)
        let metadata = S3Metadata(operation: S3Store.drawn())
        guard case .success(let upload) = try await objects.beginUpload(place + name, metadata)
        else { return false }
        let part = try await objects.putPart(
            1, of: upload, payload: S3Client.digest(bytes),
            body: { () async throws(DocFSError) -> HTTPBody in .bytes(bytes) })
        if case .success(let tag) = part,
            case .success = try await objects.complete(
                upload, [tag], conditions: conditions, size: UInt64(bytes.count))
        {
            return true
        }
        _ = try await objects.abort(upload)
        return false
    }

    /// Whether an object that was written later than said is not deleted, and one that was not is.
    private func isLeftAlone(_ name: String) async throws(DocFSError) -> Bool {
        let tag = try await make(name, "ten").tag
        let key = place + name
        guard let second = try await objects.head(key)?.stored, second > 0,
            try await objects.delete(key, conditions: [S3Probe.unchanged(since: second - 1)])
                != nil,
            try await objects.head(key)?.tag == tag,
            try await objects.delete(key, conditions: [S3Probe.unchanged(since: second)]) == nil
        else { return false }
        return try await objects.head(key) == nil
    }

    private func isCopied(to name: String, _ conditions: [(String, String)])
        async throws(DocFSError) -> Bool
    {
        guard
            case .success = try await objects.copy(
                place + "a", to: place + name, nil, conditions: conditions)
        else { return false }
        return true
    }

    /// How many of eight who do the same at once are told that they did.
    private func race(_ body: @escaping @Sendable (Int) async throws(DocFSError) -> Bool)
        async throws(DocFSError) -> Int
    {
        let results = await withTaskGroup(of: Result<Bool, DocFSError>.self) { group in
            for number in 0..<8 {
                group.addTask {
                    do throws(DocFSError) {
                        return .success(try await body(number))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var winners = 0
        for result in results where try result.get() { winners += 1 }
        return winners
    }

    /// Whether a body is refused that does not hash to what was signed.
    private func isDamageRefused() async throws(DocFSError) -> Bool {
        var random = SystemRandomNumberGenerator()
        let result: Result<S3Object, S3Failure>
        do throws(DocFSError) {
            result = try await objects.put(
                place + "c", S3Metadata(operation: OperationID(using: &random)), conditions: [],
                payload: S3Client.digest([1]), size: 1,
                body: { () async throws(DocFSError) -> HTTPBody in .bytes([2]) })
        } catch .offline {
            // Refused as damaged on the way, each time anew.
            return true
        }
        guard case .failure = result else { return false }
        return true
    }
}
