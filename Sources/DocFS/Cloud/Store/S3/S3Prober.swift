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

    /// What copies are made of.
    private static let source = "source"
    private static let stale = "00000000000000000000000000000000"

    /// Eight race first, with nothing else under way; then all tries are made at once, because on a
    /// slow link each request takes its time.
    ///
    /// - Throws: what keeps the store from being asked at all.
    func run() async throws(DocFSError) -> S3Probe {
        var probe = S3Probe()
        probe.winnersOfEight = try await race { (number) async throws(DocFSError) in
            try await isDone("race", [("if-none-match", "*")], "by \(number)")
        }
        async let creating = Result(awaiting: tryCreating)
        async let replacing = Result(awaiting: tryReplacing)
        async let copying = Result(awaiting: tryCopies)
        async let removing = Result(awaiting: tryRemoving)
        async let aging = Result(awaiting: isLeftAlone)
        async let parts = Result(awaiting: tryParts)
        async let damage = Result(awaiting: isDamageRefused)
        // One that fails ends none of the others half-way.
        let (creates, replaces, copies) = await (creating, replacing, copying)
        let (removes, removesUnchanged) = await (removing, aging)
        let (completes, checks) = await (parts, damage)
        let removed = await Result(awaiting: removeAll)
        (probe.createsIfAbsent, probe.givesVersions) = try creates.get()
        probe.replaces = try replaces.get()
        (probe.copySource, probe.copiesIfAbsent, probe.copyReplaces) = try copies.get()
        probe.removes = try removes.get()
        probe.removesUnchanged = try removesUnchanged.get()
        (probe.completesIfAbsent, probe.completes) = try completes.get()
        probe.checksBodies = try checks.get()
        try removed.get()
        if objects.client.hasSeenVersions.load(ordering: .relaxed) { probe.givesVersions = true }
        return probe
    }

    /// Whether writing with If-None-Match is as it should be, and whether what was written had a
    /// version.
    private func tryCreating() async throws(DocFSError) -> (isAsSaid: Bool, hasVersion: Bool?) {
        let there = try await make("create", "one")
        let condition = [("if-none-match", "*")]
        var isDone = try await isRefused("create", condition)
        if isDone { isDone = try await isDoneTwice("create again", condition) }
        return (isDone, there.version != nil)
    }

    private func tryReplacing() async throws(DocFSError) -> S3Probe.TagForm? {
        let there = try await make("replace", "two").tag
        return try await form { (form) async throws(DocFSError) in
            guard try await isRefused("replace", [("if-match", form.text(Self.stale))]) else {
                return false
            }
            return try await isDone("replace", [("if-match", form.text(there))])
        }
    }

    private func tryRemoving() async throws(DocFSError) -> S3Probe.TagForm? {
        let key = place + "remove"
        return try await form { (form) async throws(DocFSError) in
            let there = try await make("remove", "four").tag
            guard
                try await objects.delete(key, conditions: [("if-match", form.text(Self.stale))])
                    != nil,
                try await objects.head(key) != nil,
                try await objects.delete(key, conditions: [("if-match", form.text(there))]) == nil
            else { return false }
            return try await objects.head(key) == nil
        }
    }

    /// The header that names what is copied as it was, and which conditions on the copy are
    /// honoured.
    private func tryCopies() async throws(DocFSError) -> (
        source: String?, ifAbsent: Bool, ifMatch: S3Probe.TagForm?
    ) {
        let source = try await make(Self.source, "eight").tag
        var condition: String?
        // The name in the Amazon S3 API Reference, and the one that Ceph's gateway reads.
        for header in ["x-amz-copy-source-if-match", "x-amz-copy-if-match"] where condition == nil {
            let quoted = S3Probe.TagForm.quoted
            if try await !isCopied(to: "copy", [(header, quoted.text(Self.stale))]),
                try await objects.head(place + "copy") == nil,
                try await isCopied(to: "copy", [(header, quoted.text(source))])
            {
                condition = header
            }
            _ = try await objects.delete(place + "copy")
        }
        let there = try await make("copy over", "five").tag
        var isExclusive = false
        if try await !isCopied(to: "copy over", [("if-none-match", "*")]),
            try await objects.head(place + "copy over")?.tag == there
        {
            isExclusive = try await isCopied(to: "copy again", [("if-none-match", "*")])
        }
        let replaces = try await form { (form) async throws(DocFSError) in
            let there = try await make("copy over", "five").tag
            guard try await !isCopied(to: "copy over", [("if-match", form.text(Self.stale))]),
                try await objects.head(place + "copy over")?.tag == there
            else { return false }
            return try await isCopied(to: "copy over", [("if-match", form.text(there))])
        }
        return (condition, isExclusive, replaces)
    }

    /// Which conditions are honoured when an upload in parts is completed.
    private func tryParts() async throws(DocFSError) -> (
        ifAbsent: Bool, ifMatch: S3Probe.TagForm?
    ) {
        let there = try await make("parts", "six").tag
        var isExclusive = false
        if try await !isCompleted("parts", [("if-none-match", "*")]),
            try await objects.head(place + "parts")?.tag == there,
            try await isCompleted("parts again", [("if-none-match", "*")])
        {
            let winners = try await race { (_) async throws(DocFSError) in
                try await isCompleted("race of parts", [("if-none-match", "*")])
            }
            isExclusive = winners == 1
        }
        let completes = try await form { (form) async throws(DocFSError) in
            let there = try await make("parts", "seven").tag
            guard try await !isCompleted("parts", [("if-match", form.text(Self.stale))]),
                try await objects.head(place + "parts")?.tag == there
            else { return false }
            return try await isCompleted("parts", [("if-match", form.text(there))])
        }
        return (isExclusive, completes)
    }

    /// The first form of an ETag that a condition honours.
    private func form(
        honoured: (S3Probe.TagForm) async throws(DocFSError) -> Bool
    ) async throws(DocFSError) -> S3Probe.TagForm? {
        for form in [S3Probe.TagForm.quoted, .bare] where try await honoured(form) { return form }
        return nil
    }

    private func removeAll() async throws(DocFSError) {
        let names = [
            "create", "create again", "race", "replace", "remove", Self.source, "copy",
            "copy over", "copy again", "unchanged", "parts", "parts again", "race of parts",
            "damage",
        ]
        _ = try await names.map(atOnce: names.count) { (name) async throws(DocFSError) in
            try await objects.delete(place + name)
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
    private func isLeftAlone() async throws(DocFSError) -> Bool {
        let tag = try await make("unchanged", "ten").tag
        let key = place + "unchanged"
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
                place + Self.source, to: place + name, nil, conditions: conditions)
        else { return false }
        return true
    }

    /// How many of eight who do the same at once are told that they did.
    private func race(_ body: @escaping @Sendable (Int) async throws(DocFSError) -> Bool)
        async throws(DocFSError) -> Int
    {
        try await Array(0..<8).map(atOnce: 8, body).count(where: \.self)
    }

    /// Whether a body is refused that does not hash to what was signed.
    ///
    /// Stores refuse it as one that was damaged on the way, which is tried again: twice is enough.
    private func isDamageRefused() async throws(DocFSError) -> Bool {
        do throws(DocFSError) {
            let result = try await objects.put(
                place + "damage", S3Metadata(operation: S3Store.drawn()), conditions: [],
                payload: S3Client.digest([1]), size: 1, attempts: 2,
                body: { () async throws(DocFSError) -> HTTPBody in .bytes([2]) })
            guard case .failure = result else { return false }
            return true
        } catch .offline {
            // Refused both times as a body that was damaged on the way.
            return true
        } catch .outcomeUnknown {
            // Nobody relies on it: it is no reason not to attach.
            return false
        }
    }
}
