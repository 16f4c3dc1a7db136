/// One page of a listing (ListObjectsV2 of the Amazon S3 API Reference), keys decoded.
struct S3Listing: Sendable {
    struct Object: Sendable {
        var key = ""
        /// Without quotes.
        var tag = ""
        /// Bytes.
        var size: UInt64 = 0
        /// When the store took it, in seconds since 1970.
        var stored: Int64 = 0

        /// As the protocol has what a listing tells.
        ///
        /// - Parameter now: the store's clock, in seconds since 1970.
        func info(at path: ItemPath, now: Int64?) -> ObjectInfo {
            var info = ObjectInfo(
                path: path, kind: .file, size: size, revision: Revision(tag),
                modified: Timestamp(seconds: stored))
            // What came in parts may show when its upload began.
            if let now, stored > 0, !tag.utf8.contains(0x2D) { info.age = now - stored }
            return info
        }
    }

    var objects: [Object] = []
    /// Up to the delimiter, with it.
    var prefixes: [String] = []
    /// Where the next page goes on; `nil` after the last.
    var next: String?
    var isTruncated = false
    /// What the server calls itself; empty when it does not.
    var server = ""
    /// The server's clock, in seconds since 1970.
    var date: Int64?

    /// Bytes of all names.
    var named: Int {
        objects.reduce(0) { $0 + $1.key.utf8.count } + prefixes.reduce(0) { $0 + $1.utf8.count }
    }

    /// Reads the XML of a page.
    ///
    /// - Throws: `.corrupt` when it is not one, or contradicts itself.
    init(_ xml: [UInt8]) throws(DocFSError) {
        let reader = S3XMLReader()
        try reader.read(xml)
        guard reader.root == "ListBucketResult" else {
            throw .corrupt("the store's listing is no listing")
        }
        for element in reader.elements {
            switch element.path {
            case "Contents": objects.append(Object())
            case "Contents/Key": objects[objects.count - 1].key = try Self.decoded(element.text)
            case "Contents/ETag":
                objects[objects.count - 1].tag = S3Object.bare(element.text)
            case "Contents/Size":
                guard let size = UInt64(element.text), size <= Body.maximumSize else {
                    throw Self.nonsense
                }
                objects[objects.count - 1].size = size
            case "Contents/LastModified":
                objects[objects.count - 1].stored = S3Time.seconds(iso: element.text) ?? 0
            case "CommonPrefixes/Prefix": prefixes.append(try Self.decoded(element.text))
            case "IsTruncated": isTruncated = element.text == "true"
            case "NextContinuationToken": next = element.text
            default: break
            }
        }
        guard isTruncated == (next != nil) else { throw Self.nonsense }
    }

    private static let nonsense = DocFSError.corrupt("the store's listing contradicts itself")

    /// `encoding-type=url`: as a form's fields are encoded.
    static func decoded(_ text: String) throws(DocFSError) -> String {
        guard let bytes = S3Request.decoded(text.utf8.map { $0 == 0x2B ? 0x20 : $0 }),
            let decoded = String(validating: bytes, as: UTF8.self)
        else { throw nonsense }
        return decoded
    }
}
