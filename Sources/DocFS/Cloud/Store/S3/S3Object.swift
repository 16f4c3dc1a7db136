/// An object as a store describes it.
struct S3Object: Hashable, Sendable {
    /// The ETag without its quotes: the revision.
    var tag: String
    /// Bytes.
    var size: UInt64
    /// When the store took it, in seconds since 1970.
    var stored: Int64
    var metadata: S3Metadata
    /// What the store calls this version of the object where the bucket has versioning.
    var version: String?
    /// Whether ``metadata`` is what is there: a listing does not tell.
    var isDescribed = true

    init(tag: String, size: UInt64, stored: Int64, metadata: S3Metadata) {
        self.tag = tag
        self.size = size
        self.stored = stored
        self.metadata = metadata
    }

    /// An object as a listing tells it, without metadata.
    init(_ listed: S3Listing.Object) {
        self.init(
            tag: listed.tag, size: listed.size, stored: listed.stored, metadata: S3Metadata())
        isDescribed = false
    }

    /// Reads the head of an answer to HEAD or GET.
    ///
    /// - Throws: `.corrupt` when it lacks what such an answer has.
    init(_ reply: HTTPReply) throws(DocFSError) {
        guard let tag = reply["etag"].map(Self.bare), !tag.isEmpty else {
            throw .corrupt("the store names no revision")
        }
        guard let size = Self.total(reply), size <= Body.maximumSize else {
            throw .corrupt("the store names no size")
        }
        self.tag = tag
        self.size = size
        stored = reply["last-modified"].flatMap(S3Time.seconds(http:)) ?? 0
        metadata = S3Metadata(reply)
        version = Self.version(reply)
        if !mayBe(metadata.kind) {
            // Another program has written over it, and left beside it what was there.
            metadata.kind = .file
            if metadata.item == nil { metadata.mode = nil }
        }
    }

    private func mayBe(_ kind: S3Metadata.Kind) -> Bool {
        switch kind {
        case .file: true
        case .symlink: 1...UInt64(Self.longestTarget) ~= size
        case .tombstone: size == S3Tombstone.size || size == S3Tombstone.formerSize
        }
    }

    /// Bytes that the target of a symbolic link has at most (PATH_MAX of Linux).
    static let longestTarget = 4096

    /// The version that an answer is about; `nil` where the bucket keeps none, or did not when the
    /// object was written.
    static func version(_ reply: HTTPReply) -> String? {
        reply["x-amz-version-id"].flatMap { $0.isEmpty || $0 == "null" ? nil : $0 }
    }

    /// Bytes of the whole body: behind the slash of `bytes 0-9/10` where a range was asked for.
    private static func total(_ reply: HTTPReply) -> UInt64? {
        guard reply.status == 206 else { return reply.announcedSize }
        return reply["content-range"].flatMap { UInt64($0.split(separator: "/").last ?? "") }
    }

    static func bare(_ tag: String) -> String {
        String(decoding: tag.utf8.filter { $0 != 0x22 }, as: UTF8.self)
    }

    var revision: Revision { Revision(tag) }

    var isTombstone: Bool { metadata.kind == .tombstone }

    /// Whether whoever knows its revision may read its bytes as a document's.
    ///
    /// This includes another program's link, which may have been taken for a document from a
    /// listing alone, and anything that only its body tells from a tombstone.
    var isReadable: Bool { metadata.kind != .symlink || metadata.item == nil }

    /// Whether only the body can tell whether this is a tombstone.
    var mayBeTombstone: Bool {
        isTombstone
            || metadata.kind == .file && size == S3Tombstone.size && metadata.operation == nil
    }

    /// As the protocol has it.
    ///
    /// - Parameter target: where a symbolic link points.
    func info(at path: ItemPath, target: [UInt8]? = nil) -> ObjectInfo {
        var info = ObjectInfo(
            path: path, kind: metadata.kind == .symlink ? .symlink : .file, size: size,
            revision: revision, modified: metadata.modified ?? Timestamp(seconds: stored),
            mode: metadata.kind == .symlink ? nil : metadata.mode, target: target,
            metadata: metadata.object)
        info.isDescribed = isDescribed
        return info
    }

    /// As a directory, which this object marks.
    func directory(at path: ItemPath) -> ObjectInfo {
        var info = ObjectInfo(
            path: path, kind: .directory, size: 0, revision: nil,
            modified: metadata.modified ?? .zero, mode: metadata.mode, metadata: metadata.object)
        info.isDescribed = isDescribed
        return info
    }
}
