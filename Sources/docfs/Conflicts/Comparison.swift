internal import CControl

/// Two bodies, compared by libgit2.
struct Comparison {
    private(set) var isEqual = false
    private(set) var isBinary = false
    private(set) var onlyWhiteSpaceDiffers = false
    private(set) var added = 0
    private(set) var removed = 0
    /// The hunks of a unified diff; empty for what is no text.
    private(set) var lines: [String] = []

    init(old: [UInt8], new: [UInt8]) throws {
        git_libgit2_init()
        isEqual = old == new
        if isEqual { return }
        try Self.patch(old, new, flags: 0) { patch in
            isBinary =
                git_patch_get_delta(patch).pointee.flags & GIT_DIFF_FLAG_BINARY.rawValue != 0
            if isBinary { return }
            var (context, added, removed) = (0, 0, 0)
            try Self.check(git_patch_line_stats(&context, &added, &removed, patch))
            (self.added, self.removed) = (added, removed)
            lines = try Self.text(of: patch)
        }
        if isBinary { return }
        try Self.patch(old, new, flags: GIT_DIFF_IGNORE_WHITESPACE.rawValue) { patch in
            onlyWhiteSpaceDiffers = git_patch_num_hunks(patch) == 0
        }
    }

    /// In a few words.
    var summary: String {
        if isEqual { return "the same" }
        if isBinary { return "binary" }
        if onlyWhiteSpaceDiffers { return "differs in white space only" }
        return "text, +\(added) −\(removed) lines"
    }

    private static func patch(
        _ old: [UInt8], _ new: [UInt8], flags: UInt32, _ use: (OpaquePointer) throws -> Void
    ) throws {
        var options = git_diff_options()
        try check(git_diff_options_init(&options, UInt32(GIT_DIFF_OPTIONS_VERSION)))
        options.flags |= flags
        var patch: OpaquePointer?
        try old.withUnsafeBytes { old in
            try new.withUnsafeBytes { new in
                try check(
                    git_patch_from_buffers(
                        &patch, old.baseAddress, old.count, nil, new.baseAddress, new.count, nil,
                        &options))
            }
        }
        guard let patch else { return }
        defer { git_patch_free(patch) }
        try use(patch)
    }

    /// Without the lines that name files.
    private static func text(of patch: OpaquePointer) throws -> [String] {
        var buffer = git_buf()
        try check(git_patch_to_buf(&buffer, patch))
        defer { git_buf_dispose(&buffer) }
        let bytes = UnsafeRawBufferPointer(start: buffer.ptr, count: buffer.size)
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { ByteText.text($0) }
        return Array(lines.drop { !$0.hasPrefix("@@") }.prefix { !$0.isEmpty })
    }

    static func check(_ code: Int32) throws {
        if code >= 0 { return }
        let words = git_error_last().map { String(cString: $0.pointee.message) }
        throw Failure("cannot compare: \(words ?? "error \(code)")")
    }
}
