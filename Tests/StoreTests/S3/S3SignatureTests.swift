import Testing

@testable import DocFS

/// The examples of the Amazon S3 API Reference, "Authenticating Requests: Using the Authorization
/// Header (AWS Signature Version 4)".
@Suite struct S3SignatureTests {
    private static let credentials = S3Credentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    private static let address = S3Address(
        bucket: "examplebucket", prefix: "",
        endpoint: HTTPOrigin(isSecure: true, host: "s3.amazonaws.com"), region: "us-east-1",
        style: .virtualHost)
    /// 2013-05-24T00:00:00Z.
    private static let time: Int64 = 1_369_353_600

    private func authorization(_ request: S3Request, payload: String = S3Client.emptyDigest)
        -> String?
    {
        S3Signature(credentials: Self.credentials, region: "us-east-1")
            .sign(request, at: Self.time, payload: payload)
            .first { $0.0 == "authorization" }?.1
    }

    private func expected(_ names: String, _ signature: String) -> String {
        "AWS4-HMAC-SHA256 "
            + "Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            + "SignedHeaders=\(names), Signature=\(signature)"
    }

    @Test func gettingARange() {
        let request = S3Request(
            "GET", Self.address, key: "test.txt", headers: [("range", "bytes=0-9")])
        #expect(
            authorization(request)
                == expected(
                    "host;range;x-amz-content-sha256;x-amz-date",
                    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
    }

    @Test func putting() {
        let request = S3Request(
            "PUT", Self.address, key: "test$file.text",
            headers: [
                ("date", "Fri, 24 May 2013 00:00:00 GMT"),
                ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ])
        #expect(
            authorization(request, payload: S3Client.digest(Array("Welcome to Amazon S3.".utf8)))
                == expected(
                    "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
                    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
    }

    @Test func aParameterWithoutAValue() {
        let request = S3Request("GET", Self.address, key: nil, [("lifecycle", "")])
        #expect(
            authorization(request)
                == expected(
                    "host;x-amz-content-sha256;x-amz-date",
                    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"))
    }

    @Test func listing() {
        let request = S3Request(
            "GET", Self.address, key: nil, [("prefix", "J"), ("max-keys", "2")])
        #expect(
            authorization(request)
                == expected(
                    "host;x-amz-content-sha256;x-amz-date",
                    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"))
    }

    @Test func aSessionTokenIsSignedToo() {
        let credentials = S3Credentials(accessKey: "a", secretKey: "b", sessionToken: "c")
        let headers = S3Signature(credentials: credentials, region: "r")
            .sign(
                S3Request("GET", Self.address, key: nil), at: 0, payload: S3Client.emptyDigest)
        #expect(headers.contains { $0 == ("x-amz-security-token", "c") })
        #expect(headers.last?.1.contains("x-amz-date;x-amz-security-token,") == true)
    }
}
