internal import CControl

/// Both sides' edits in one text, where they do not touch the same lines.
///
/// The base is the version of the document that the sibling was made from, which the container
/// tells: with a later one, what the current version has beyond the sibling would be taken for
/// something that the sibling had removed.
struct Merge {
    private let document: Place
    private let versions: String

    /// - Parameter place: the document.
    init(of place: Place) throws {
        git_libgit2_init()
        document = place
        versions = try place.inCloud().control("versions")
    }

    /// `current` with the edits of `sibling`; `nil` unless it goes without a contradiction.
    ///
    /// - Throws: when the version that both were made from is not kept.
    func merged(_ current: [UInt8], _ sibling: ConflictVersion) throws -> [UInt8]? {
        let name = try baseName(of: sibling)
        guard !name.isEmpty else {
            throw Failure(
                "\(document.name): the version that both were made from is not kept; "
                    + "nothing was done")
        }
        let base = try Document.bytes(of: versions + "/" + name)
        // Names shift when a version goes: this one may be another by now.
        guard try baseName(of: sibling) == name else {
            throw Failure("\(document.name): its versions changed meanwhile; nothing was done")
        }
        return try Self.merged(base: base, current, try Document.bytes(of: sibling.path))
    }

    private func baseName(of sibling: ConflictVersion) throws -> String {
        try Files.attribute("user.docfs.conflict-base", of: sibling.path) ?? ""
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
