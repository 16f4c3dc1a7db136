import CCrypto
import Dispatch
import Foundation
import Synchronization

@testable import DocFS

/// What other programs do with a bucket: signed requests, one at a time, that block.
///
/// Not by the store's own way to the server, so that it may be used where that one is busy.
final class S3Outside: Sendable {
    let address: S3Address
    private let away = Mutex<[(key: String, headers: [(String, String)], body: [UInt8])]>([])

    init(endpoint: String, prefix: String, bucket: String = "docfs-") throws {
        guard let origin = HTTPOrigin(text: endpoint) else { throw DocFSError.invalidArgument }
        address = S3Address(
            bucket: bucket + UUID().uuidString.lowercased(), prefix: prefix, endpoint: origin,
            region: "us-east-1", style: .path)
    }

    /// Where a server on loopback has a bucket of that name.
    static func address(
        port: UInt16, bucket: String = "b", prefix: String = ""
    ) -> S3Address {
        S3Address(
            bucket: bucket, prefix: prefix,
            endpoint: HTTPOrigin(isSecure: false, host: "127.0.0.1", port: port),
            region: "us-east-1", style: .path)
    }

    /// A store there that nothing is known of.
    static func store(
        port: UInt16, bucket: String = "b", prefix: String = ""
    ) throws -> S3Store {
        S3Store(
            address(port: port, bucket: bucket, prefix: prefix), credentials: source(),
            try HTTPTransport(authorities: nil, silence: 60_000_000_000))
    }

    static let credentials = S3Credentials(accessKey: "docfs", secretKey: "docfssecret")

    /// Another device's store at this place.
    ///
    /// - Parameter probe: what it is to take the server for.
    func store(probe: S3Probe? = nil, limits: S3Limits = S3Limits()) throws -> S3Store {
        S3Store(
            address, credentials: Self.source(),
            try HTTPTransport(authorities: nil, silence: 60_000_000_000), probe: probe,
            limits: limits)
    }

    static func source() -> S3CredentialSource {
        S3CredentialSource(
            file: nil, profile: nil,
            environment: [
                "AWS_ACCESS_KEY_ID": credentials.accessKey,
                "AWS_SECRET_ACCESS_KEY": credentials.secretKey,
            ])
    }

    typealias Answer = BlockingRequest.Answer

    func send(
        _ method: String, _ key: String?, _ parameters: [(String, String)] = [],
        headers: [(String, String)] = [], _ body: [UInt8] = []
    ) throws -> Answer {
        let request = S3Request(method, address, key: key, parameters, headers: headers)
        let signed = S3Signature(credentials: Self.credentials, region: address.region)
            .sign(
                request, at: Int64(Date().timeIntervalSince1970), payload: S3Client.digest(body))
        return try BlockingRequest.send(
            method, request.url, signed.filter { $0.0 != "host" }, body)
    }

    /// As ``send(_:_:_:headers:_:)``, and throws unless it succeeds.
    @discardableResult
    func ask(
        _ method: String, _ key: String?, _ parameters: [(String, String)] = [],
        headers: [(String, String)] = [], _ body: [UInt8] = []
    ) throws -> Answer {
        let answer = try send(method, key, parameters, headers: headers, body)
        guard (200...299).contains(answer.status) else {
            throw DocFSError.corrupt(
                "\(method) \(key ?? ""): \(answer.status) "
                    + String(decoding: answer.body, as: UTF8.self))
        }
        return answer
    }

    func makeBucket() throws { try ask("PUT", nil) }

    func put(_ key: String, _ bytes: [UInt8]) throws { try ask("PUT", key, [], bytes) }

    /// Puts empty objects, sixteen at a time.
    func put(_ keys: [String]) throws {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { first in
            for key in stride(from: first, to: keys.count, by: 16).map({ keys[$0] }) {
                do {
                    try ask("PUT", key)
                } catch {
                    failures.withLock { $0.append("\(key): \(error)") }
                }
            }
        }
        if let first = failures.withLock({ $0.first }) { throw DocFSError.corrupt(first) }
    }

    /// Deletes the bucket with all that is in it.
    func removeAll() throws {
        var rest = try keys(below: "")[...]
        while !rest.isEmpty {
            let names = rest.prefix(1000).map { key in
                let text = key.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
                return "<Object><Key>\(text)</Key></Object>"
            }
            let body = Array("<Delete><Quiet>true</Quiet>\(names.joined())</Delete>".utf8)
            let digest = Data(Self.md5(of: body)).base64EncodedString()
            try ask("POST", nil, [("delete", "")], headers: [("content-md5", digest)], body)
            rest = rest.dropFirst(1000)
        }
        try ask("DELETE", nil)
    }

    /// What the store wants beside a list of what it is to delete.
    private static func md5(of bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 16)
        let done = EVP_Q_digest(nil, "MD5", nil, bytes, bytes.count, &digest, nil)
        precondition(done == 1, "libcrypto has MD5")
        return digest
    }

    func keys(below prefix: String) throws -> [String] {
        var keys: [String] = []
        var next: String?
        repeat {
            let page = try S3Listing(
                try ask(
                    "GET", nil,
                    [("list-type", "2"), ("encoding-type", "url"), ("prefix", prefix)]
                        + (next.map { [("continuation-token", $0)] } ?? [])
                ).body)
            keys += page.objects.map(\.key)
            next = page.next
        } while next != nil
        return keys
    }

    /// The uploads that were begun and have not ended.
    func uploads() throws -> [String] {
        let reader = S3XMLReader()
        try reader.read(try ask("GET", nil, [("uploads", "")]).body)
        return reader.elements.filter { $0.path == "Upload/UploadId" }.map(\.text)
    }

    /// Begins an upload, as any program may.
    func beginUpload(_ key: String, _ headers: [(String, String)] = []) throws -> String {
        let reader = S3XMLReader()
        try reader.read(try ask("POST", key, [("uploads", "")], headers: headers).body)
        return reader.first("UploadId") ?? ""
    }

    private func putInOnePart(_ key: String, _ headers: [(String, String)], _ body: [UInt8]) throws
    {
        let id = try beginUpload(key, headers)
        let part = try ask("PUT", key, [("partNumber", "1"), ("uploadId", id)], body)
        let tag = S3Object.bare(part.headers["etag"] ?? "")
        let list = "<Part><PartNumber>1</PartNumber><ETag>\(tag)</ETag></Part>"
        let text = "<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>"
        try ask("POST", key, [("uploadId", id)], Array(text.utf8))
    }

    /// Deletes the bucket, and remembers what was in it.
    func takeAway() throws {
        for key in try keys(below: "") {
            let answer = try ask("GET", key)
            let headers = answer.headers.map { ($0.key, $0.value) }
                .filter { $0.0.hasPrefix("x-amz-meta-") || $0.0 == "etag" }
            away.withLock { $0.append((key, headers, answer.body)) }
            try ask("DELETE", key)
        }
        try ask("DELETE", nil)
    }

    func bringBack() throws {
        try makeBucket()
        for (key, headers, body) in away.withLock({ $0 }) {
            if headers.contains(where: { $0.0 == "etag" && $0.1.contains("-") }) {
                try putInOnePart(key, headers.filter { $0.0 != "etag" }, body)
            } else {
                try ask("PUT", key, headers: headers.filter { $0.0 != "etag" }, body)
            }
        }
    }
}
