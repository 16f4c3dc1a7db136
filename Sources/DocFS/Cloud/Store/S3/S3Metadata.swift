/// What an object's headers say beside its body: ours (`x-amz-meta-docfs-…`), the modification time
/// as rclone keeps it (`x-amz-meta-mtime`, seconds since 1970 with a fraction), and others' that a
/// copy must not lose.
struct S3Metadata: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case file
        /// The body is the target, as rclone has it too.
        case symlink
        /// Nothing is there: stands where a store cannot delete under a condition. The body is an
        /// ``S3Tombstone``.
        case tombstone
    }

    var kind = Kind.file
    var item: ItemID?
    /// Who wrote the object; a number drawn for it where there is no such operation.
    var operation: OperationID?
    var digest: Digest?
    var modified: Timestamp?
    /// Permission bits.
    var mode: UInt16?
    /// Headers of other programs, with lower-case names; in a request also those that set tags and
    /// grant something to others.
    var others: [Header] = []
    /// Tags that were left out of ``others`` to see whether the store refuses those alone.
    private var withheld: [Header] = []
    /// How many tags the object has.
    var tags = 0

    struct Header: Hashable, Sendable {
        var name: String
        var value: String
    }

    /// Of an object of which nothing is known.
    init() {}

    init(kind: Kind = .file, operation: OperationID) {
        self.kind = kind
        self.operation = operation
    }

    /// - Parameter operation: for what has no metadata.
    init(_ metadata: ObjectMetadata?, kind: Kind, operation: OperationID) {
        self.kind = kind
        self.operation = metadata?.operation ?? operation
        item = metadata?.item
        digest = metadata?.digest
        modified = metadata?.modified
        mode = metadata?.mode
    }

    private static let prefix = "x-amz-meta-"
    /// Where s3fs and rclone keep the mode of a file.
    static let modeName = prefix + "mode"
    static let tagging = "x-amz-tagging"
    /// Has a copy get the tags that ``tagging`` names, or none, and not those of its source.
    static let otherTags = ("x-amz-tagging-directive", "REPLACE")
    private static let granting = "x-amz-grant-"
    private static let kept: Set<String> = [
        "content-type", "content-encoding", "content-disposition", "content-language",
        "cache-control", "expires", "x-amz-website-redirect-location",
    ]

    /// Reads the headers of an answer.
    init(_ reply: HTTPReply) {
        for (name, value) in reply.fields {
            if name == "x-amz-tagging-count" { tags = Int(value) ?? 0 }
            let isMetadata = name.hasPrefix(Self.prefix)
            guard isMetadata || Self.kept.contains(name) else { continue }
            switch isMetadata ? name.dropFirst(Self.prefix.count) : "" {
            case "docfs-kind": kind = Kind(rawValue: value) ?? .file
            case "docfs-item": item = ItemID.item(value)
            case "docfs-operation": operation = OperationID(text: value)
            case "docfs-sha256": digest = Digest(text: value)
            case "docfs-mode": mode = UInt16(value, radix: 8).map { $0 & 0o777 }
            case "mtime": modified = S3Time.timestamp(decimal: value)
            default: others.append(Header(name: name, value: value))
            }
        }
        others = Self.joined(others)
        // Of the upload, and not of the object.
        others.removeAll { $0.name == "content-encoding" && $0.value == "aws-chunked" }
        takeFileMode()
    }

    /// The same headers sorted, those of one name as one (RFC 9110, 5.3): a signature holds each
    /// once.
    private static func joined(_ headers: [Header]) -> [Header] {
        Dictionary(headers.map { ($0.name, $0.value) }) { "\($0),\($1)" }
            .map { Header(name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
    }

    /// The headers of a request that writes an object.
    var headers: [(String, String)] {
        var headers = others.map { ($0.name, $0.value) }
        func add(_ name: String, _ value: String?) {
            if let value { headers.append((Self.prefix + name, value)) }
        }
        add("docfs-kind", kind == .file ? nil : kind.rawValue)
        add("docfs-item", item?.description)
        add("docfs-operation", operation?.description)
        add("docfs-sha256", digest?.description)
        add("docfs-mode", mode.map { String($0, radix: 8) })
        add("mtime", modified.map { S3Time.decimal($0) })
        if kind == .symlink, !others.contains(where: { $0.name == Self.modeName }) {
            headers.append((Self.modeName, Self.modeOfLinks))
        }
        return headers
    }

    /// Whether a header says something of the bytes that it was written with, so that it would be
    /// wrong beside others: their encoding, checksums of rclone and s3cmd, keys of the S3
    /// Encryption Client.
    static func isOfBody(_ name: String) -> Bool {
        name == "content-encoding" || name.hasPrefix(prefix + "x-amz-")
            || name == prefix + "md5chksum" || name == prefix + "s3cmd-attrs"
    }

    /// The same with fewer headers of other programs, where a write may have been refused for them;
    /// `nil` where it was not.
    ///
    /// Nobody's edit stays here because these credentials may not set tags, the bucket has no
    /// access control lists any more, or ours leave no room for others' (2 KB: Amazon S3 User
    /// Guide, "Working with object metadata").
    func without(refusedBy failure: S3Failure) -> S3Metadata? {
        let isGrant = { (header: Header) in header.name.hasPrefix(Self.granting) }
        let isTag = { (header: Header) in header.name == Self.tagging }
        let isOfUser = { (header: Header) in header.name.hasPrefix(Self.prefix) }
        let mayBeOfRights = failure.isForbidden || failure.mayBeAboutHeaders
        var less = self
        switch failure.code {
        case "AccessControlListNotSupported": less.others.removeAll(where: isGrant)
        case "MetadataTooLarge": less.others.removeAll(where: isOfUser)
        case _ where mayBeOfRights && others.contains(where: isGrant):
            // Either may be at fault: each is tried without the other.
            less.withheld = others.filter(isTag)
            less.others.removeAll(where: less.withheld.isEmpty ? isGrant : isTag)
            less.others += less.withheld.isEmpty ? withheld : []
        case _ where mayBeOfRights && others.contains(where: isTag):
            less.others.removeAll(where: isTag)
        case _ where failure.mayBeAboutHeaders && others.contains(where: isOfUser):
            less.others.removeAll(where: isOfUser)
        case _ where failure.mayBeAboutHeaders: less.others = []
        default: break
        }
        return less.others == others ? nil : less
    }

    /// As the protocol has it: `nil` when one of ours did not write the object.
    var object: ObjectMetadata? {
        guard let item, let operation, let modified, let mode else { return nil }
        return ObjectMetadata(
            item: item, operation: operation, digest: digest, modified: modified, mode: mode)
    }
}
