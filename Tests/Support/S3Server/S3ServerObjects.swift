@testable import DocFS

/// What a small server of S3's protocol has, and what it answers: listings, GET, HEAD, PUT, copies
/// and DELETE with their conditions (Amazon S3 API Reference).
///
/// No uploads in parts, no versioning, no signatures, no checks of bodies. A value: a copy is
/// another server's.
package struct S3ServerObjects: Sendable {
    package struct Object: Sendable {
        package var body: [UInt8]
        /// What is kept beside the body, by lower-case names.
        package var fields: [(name: String, value: String)]
        /// Seconds since 1970.
        package var stored: Int64

        /// The ETag without quotes.
        package var tag: String { String(SHA256.digest(of: body).description.prefix(32)) }
    }

    /// The conditions of which a server takes notice beside those about creating.
    package struct Conditions: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let replace = Conditions(rawValue: 1)
        package static let remove = Conditions(rawValue: 2)
        package static let copy = Conditions(rawValue: 4)
        /// As Ceph's gateway: deleting what was not written after a given second.
        package static let removeUnchanged = Conditions(rawValue: 8)
    }

    package private(set) var objects: [[UInt8]: Object] = [:]
    private let conditions: Conditions

    package init(_ conditions: Conditions) { self.conditions = conditions }

    package var keys: [[UInt8]] { objects.keys.sorted { $0.lexicographicallyPrecedes($1) } }

    /// As another program puts an object there.
    package mutating func put(
        _ key: [UInt8], _ body: [UInt8], _ fields: [(name: String, value: String)] = [],
        at now: Int64
    ) {
        objects[key] = Object(body: body, fields: fields, stored: now)
    }

    /// As another program removes one.
    package mutating func remove(_ key: [UInt8]) { objects[key] = nil }

    /// The answer to who asks for the whole object at `key`, which is there.
    package func whole(_ key: [UInt8], at now: Int64) -> S3ServerAnswer {
        guard let object = objects[key] else { return .error(404, "NoSuchKey", at: now) }
        return S3ServerAnswer(200, "OK", Self.head(object), body: object.body, at: now)
    }

    private static func head(_ object: Object) -> [(name: String, value: String)] {
        [("ETag", "\"\(object.tag)\""), ("Last-Modified", S3ServerAnswer.date(object.stored))]
            + object.fields
    }

    // MARK: Requests

    /// - Parameter now: the server's clock, in seconds since 1970.
    package mutating func answer(_ request: S3ServerRequest, at now: Int64) -> S3ServerAnswer {
        guard let key = request.key else {
            if request.method == "GET", request.query["list-type"] == "2" {
                return listing(request, at: now)
            }
            return .error(501, "NotImplemented", at: now)
        }
        // Parts of a body are nothing that this server has.
        if !request.query.isEmpty { return .error(501, "NotImplemented", at: now) }
        switch request.method {
        case "GET", "HEAD": return get(key, request, at: now)
        case "PUT": return put(key, request, at: now)
        case "DELETE": return delete(key, request, at: now)
        default: return .error(501, "NotImplemented", at: now)
        }
    }

    private func get(_ key: [UInt8], _ request: S3ServerRequest, at now: Int64) -> S3ServerAnswer {
        let isHead = request.method == "HEAD"
        guard let object = objects[key] else {
            var answer = S3ServerAnswer.error(404, "NoSuchKey", at: now)
            answer.isHead = isHead
            return answer
        }
        if let wanted = request.headers["if-match"], Self.bare(wanted) != object.tag {
            return .error(412, "PreconditionFailed", at: now)
        }
        guard let asked = request.headers["range"] else {
            var answer = whole(key, at: now)
            answer.isHead = isHead
            return answer
        }
        let ends = asked.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        guard ends.count == 2, ends[0] <= ends[1], ends[0] < object.body.count else {
            return .error(416, "InvalidRange", at: now)
        }
        let range = ends[0]..<min(ends[1] + 1, object.body.count)
        let words = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.body.count)"
        return S3ServerAnswer(
            206, "Partial Content", Self.head(object) + [("Content-Range", words)],
            body: Array(object.body[range]), at: now)
    }

    private mutating func put(
        _ key: [UInt8], _ request: S3ServerRequest, at now: Int64
    ) -> S3ServerAnswer {
        let isCopy = request.headers["x-amz-copy-source"] != nil
        if !isCopy || conditions.contains(.copy),
            let refusal = refusal(key, request.headers, at: now)
        {
            return refusal
        }
        var object = Object(body: request.body, fields: Self.kept(request.headers), stored: now)
        guard let named = request.headers["x-amz-copy-source"] else {
            objects[key] = object
            return S3ServerAnswer(200, "OK", [("ETag", "\"\(object.tag)\"")], at: now)
        }
        let path = S3Request.decoded(Array(named.utf8.drop { $0 == 0x2F })) ?? []
        guard let slash = path.firstIndex(of: 0x2F),
            let source = objects[Array(path[(slash + 1)...])]
        else { return .error(404, "NoSuchKey", at: now) }
        if let wanted = request.headers["x-amz-copy-source-if-match"],
            Self.bare(wanted) != source.tag
        {
            return .error(412, "PreconditionFailed", at: now)
        }
        object.body = source.body
        if request.headers["x-amz-metadata-directive"] != "REPLACE" {
            object.fields = source.fields
        }
        objects[key] = object
        let tag = "<ETag>&quot;\(object.tag)&quot;</ETag>"
        return .xml(200, "OK", "<CopyObjectResult>\(tag)</CopyObjectResult>", at: now)
    }

    private mutating func delete(
        _ key: [UInt8], _ request: S3ServerRequest, at now: Int64
    ) -> S3ServerAnswer {
        if conditions.contains(.remove), let refusal = refusal(key, request.headers, at: now) {
            return refusal
        }
        if conditions.contains(.removeUnchanged), let object = objects[key],
            let limit = request.headers["x-amz-delete-if-unmodified-since"]
                .flatMap(S3Time.seconds(iso:)), object.stored > limit
        {
            return .error(412, "PreconditionFailed", at: now)
        }
        objects[key] = nil
        return S3ServerAnswer(204, "No Content", at: now)
    }

    private func refusal(
        _ key: [UInt8], _ headers: [String: String], at now: Int64
    ) -> S3ServerAnswer? {
        if headers["if-none-match"] == "*", objects[key] != nil {
            return .error(412, "PreconditionFailed", at: now)
        }
        guard conditions.contains(.replace), let wanted = headers["if-match"] else { return nil }
        guard let object = objects[key] else { return .error(404, "NoSuchKey", at: now) }
        return Self.bare(wanted) == object.tag ? nil : .error(412, "PreconditionFailed", at: now)
    }

    private static func bare(_ tag: String) -> String { tag.filter { $0 != "\"" } }

    private static let known: Set<String> = [
        "content-type", "content-encoding", "content-disposition", "content-language",
        "cache-control",
    ]

    private static func kept(_ headers: [String: String]) -> [(name: String, value: String)] {
        headers.filter { $0.key.hasPrefix("x-amz-meta-") || known.contains($0.key) }
            .sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    // MARK: Listings

    private func listing(_ request: S3ServerRequest, at now: Int64) -> S3ServerAnswer {
        let prefix = Array((request.query["prefix"] ?? "").utf8)
        let isFlat = request.query["delimiter"] == "/"
        let most = min(1000, request.query["max-keys"].flatMap { Int($0) } ?? 1000)
        let after = request.query["continuation-token"].map { S3Request.decoded(Array($0.utf8)) }
        var (entries, last): ([String], [UInt8]) = ([], [])
        var isTruncated = false
        for key in keys where key.starts(with: prefix) {
            let slash = isFlat ? key[prefix.count...].firstIndex(of: 0x2F) : nil
            let shown = slash.map { Array(key[...$0]) } ?? key
            if shown == last, !entries.isEmpty { continue }
            if let after = after ?? nil, !after.lexicographicallyPrecedes(shown) { continue }
            if entries.count == most {
                isTruncated = true
                break
            }
            entries.append(slash == nil ? contents(key) : Self.common(shown))
            last = shown
        }
        let token = S3Request.encoded(last)
        let next = isTruncated ? "<NextContinuationToken>\(token)</NextContinuationToken>" : ""
        let text = """
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>fuzz</Name>\
            <Prefix>\(S3Request.encoded(prefix))</Prefix><KeyCount>\(entries.count)</KeyCount>\
            <MaxKeys>\(most)</MaxKeys><EncodingType>url</EncodingType>\
            <IsTruncated>\(isTruncated)</IsTruncated>\(next)\(entries.joined())</ListBucketResult>
            """
        return .xml(200, "OK", text, at: now)
    }

    private static func common(_ prefix: [UInt8]) -> String {
        "<CommonPrefixes><Prefix>\(S3Request.encoded(prefix))</Prefix></CommonPrefixes>"
    }

    private func contents(_ key: [UInt8]) -> String {
        guard let object = objects[key] else { return "" }
        let time = CivilTime(Timestamp(seconds: object.stored)).isoText
        return """
            <Contents><Key>\(S3Request.encoded(key))</Key><LastModified>\(time)</LastModified>\
            <ETag>&quot;\(object.tag)&quot;</ETag><Size>\(object.body.count)</Size>\
            <StorageClass>STANDARD</StorageClass></Contents>
            """
    }
}
