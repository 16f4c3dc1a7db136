internal import CControl

/// Both sides' edits in one text, where they do not touch the same lines.
///
/// The base is looked for among the earlier versions. It must be one that both sides have seen:
/// with a later one, what the current version has beyond the sibling would be taken for something
/// that the sibling had removed. So the search goes from the oldest version on, as long as the
/// sibling has all that the next one had brought; an older base than necessary merges less, and
/// never wrongly.
struct Merge {
    private let bases: [[UInt8]]

    /// Versions that are kept however old they are, unless the configuration says less: with so
    /// many, older ones may have gone.
    private static let keptVersions = 10

    /// - Throws: when the document has no earlier version that could be the base.
    init(of place: Place) throws {
        git_libgit2_init()
        let versions = try KeptVersion.all(of: place)
        if versions.isEmpty {
            throw Failure("\(place.name): has no version that both were made from")
        }
        if versions.count >= Self.keptVersions {
            throw Failure(
                "\(place.name): has so many versions that the one both were made from may be gone")
        }
        bases = try versions.reversed().map { try Document.bytes(of: $0.path) }
    }

    /// `current` with the edits of `sibling`; `nil` unless it goes without a contradiction.
    func merged(_ current: [UInt8], _ sibling: [UInt8]) throws -> [UInt8]? {
        try Self.merged(base: base(of: sibling), current, sibling)
    }

    private func base(of sibling: [UInt8]) -> [UInt8] {
        var base = bases[0]
        for next in bases.dropFirst() {
            guard Self.has(sibling, whatCameWith: next, after: base) else { break }
            base = next
        }
        return base
    }

    /// Whether the lines that `next` has more often than `base` are in `body` as often, and those
    /// that it has less often no more than that.
    private static func has(
        _ body: [UInt8], whatCameWith next: [UInt8], after base: [UInt8]
    ) -> Bool {
        func count(_ text: [UInt8]) -> [ArraySlice<UInt8>: Int] {
            text.split(separator: 0x0A, omittingEmptySubsequences: false)
                .reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        let (body, next, base) = (count(body), count(next), count(base))
        if next == base { return false }
        return Set(next.keys).union(base.keys).allSatisfy { line in
            let (new, old, here) = (next[line] ?? 0, base[line] ?? 0, body[line] ?? 0)
            return new > old ? here >= new : new < old ? here <= new : true
        }
    }

    private static func merged(
        base: [UInt8], _ current: [UInt8], _ sibling: [UInt8]
    ) throws -> [UInt8]? {
        for body in [base, current, sibling] where try isBinary(body) { return nil }
        return try input(base) { base in
            try input(current) { current in
                try input(sibling) { sibling in
                    var result = git_merge_file_result()
                    try Comparison.check(git_merge_file(&result, base, current, sibling, nil))
                    defer { git_merge_file_result_free(&result) }
                    guard result.automergeable == 1 else { return nil }
                    return Array(UnsafeRawBufferPointer(start: result.ptr, count: result.len))
                }
            }
        }
    }

    private static func isBinary(_ body: [UInt8]) throws -> Bool {
        try Comparison(old: [], new: body).isBinary
    }

    private static func input<Result>(
        _ body: [UInt8], _ use: (UnsafePointer<git_merge_file_input>) throws -> Result
    ) throws -> Result {
        try body.withUnsafeBytes { bytes in
            var input = git_merge_file_input()
            try Comparison.check(
                git_merge_file_input_init(&input, UInt32(GIT_MERGE_FILE_INPUT_VERSION)))
            input.ptr = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            input.size = bytes.count
            return try use(&input)
        }
    }
}
