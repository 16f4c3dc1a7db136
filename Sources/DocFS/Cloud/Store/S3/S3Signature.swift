/// Signs requests: AWS Signature Version 4 in the Authorization header (Amazon S3 API Reference,
/// "Authenticating Requests: Using the Authorization Header").
struct S3Signature {
    let credentials: S3Credentials
    let region: String
    var signing = S3SigningKey()

    private static let algorithm = "AWS4-HMAC-SHA256"

    /// The headers of `request` with those that sign it.
    ///
    /// - Parameters:
    ///   - time: seconds since 1970, as the store's clock has it within 15 minutes.
    ///   - payload: the SHA-256 of the body, in hexadecimal digits.
    func sign(_ request: S3Request, at time: Int64, payload: String) -> [(String, String)] {
        let stamp = CivilTime(Timestamp(seconds: time, nanoseconds: 0)).basicText
        let scope = "\(stamp.prefix(8))/\(region)/s3/aws4_request"
        var headers = request.headers
        headers.append(("host", request.origin.authority))
        headers.append(("x-amz-content-sha256", payload))
        headers.append(("x-amz-date", stamp))
        if let token = credentials.sessionToken {
            headers.append(("x-amz-security-token", token))
        }
        headers.sort { $0.0 < $1.0 }
        let names = headers.map(\.0).joined(separator: ";")
        let canonical = [
            request.method, request.path, request.query,
            headers.map { "\($0.0):\(Self.trimmed($0.1))\n" }.joined(), names, payload,
        ].joined(separator: "\n")
        let text = [Self.algorithm, stamp, scope, SHA256.digest(of: canonical.bytes).description]
            .joined(separator: "\n")
        let key = signing.key(of: credentials.secretKey, in: region, on: stamp.prefix(8))
        let code = SHA256.authenticationCode(of: text.bytes, key: key)
        let authorization =
            "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope), "
            + "SignedHeaders=\(names), Signature=\(String(hexOf: code))"
        headers.append(("authorization", authorization))
        return headers
    }

    /// Blanks at both ends go, and each row of blanks within becomes one.
    private static func trimmed(_ value: String) -> String {
        value.split(separator: " ").joined(separator: " ")
    }
}

extension String {
    fileprivate var bytes: [UInt8] { Array(utf8) }
}
