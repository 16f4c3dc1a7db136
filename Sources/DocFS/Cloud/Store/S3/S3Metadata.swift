/// What an object's headers say beside its body: ours (`x-amz-meta-docfs-…`), the modification time
/// as rclone keeps it (`x-amz-meta-mtime`, seconds since 1970 with a fraction), and others' that a
/// copy must not lose.
struct S3Metadata: Hashable, Sendable {
    enum Kind: String, Hashable, Sendable {
        case file
        /// The body is the target, as rclone has it too.
        case symlink
        /// Nothing is there: stands where a store cannot delete under a condition. The body is the
        /// operation, so that each has its own revision.
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
    /// Headers of other programs, with lower-case names, sorted.
    var others: [Header] = []

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
    private static let kept: Set<String> = [
        "content-type", "content-encoding", "content-disposition", "content-language",
        "cache-control",
    ]

    /// Reads the headers of an answer.
    init(_ reply: HTTPReply) {
        for (name, value) in reply.headers(beginning: "") {
            switch name {
            case Self.prefix + "docfs-kind": kind = Kind(rawValue: value) ?? .file
            case Self.prefix + "docfs-item": item = ItemID.item(value)
            case Self.prefix + "docfs-operation": operation = OperationID(text: value)
            case Self.prefix + "docfs-sha256": digest = Digest(text: value)
            case Self.prefix + "docfs-mode": mode = UInt16(value, radix: 8).map { $0 & 0o777 }
            case Self.prefix + "mtime": modified = S3Time.timestamp(decimal: value)
            case _ where name.hasPrefix(Self.prefix) || Self.kept.contains(name):
                others.append(Header(name: name, value: value))
            default: break
            }
        }
        others = Self.joined(others)
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
        return headers
    }

    /// As the protocol has it: `nil` when one of ours did not write the object.
    var object: ObjectMetadata? {
        guard let item, let operation, let modified, let mode else { return nil }
        return ObjectMetadata(
            item: item, operation: operation, digest: digest, modified: modified, mode: mode)
    }
}
