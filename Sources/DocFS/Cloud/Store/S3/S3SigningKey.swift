internal import Synchronization

/// The key that requests of one day are signed with: what was made last serves until another is
/// needed.
final class S3SigningKey: Sendable {
    private struct Made {
        let secret: String
        let region: String
        let day: String
        let key: [UInt8]
    }

    private let last = Mutex<Made?>(nil)

    /// - Parameter day: the eight digits of a date.
    func key(of secret: String, in region: String, on day: Substring) -> [UInt8] {
        last.withLock { last in
            if let last, last.day == day, last.region == region, last.secret == secret {
                return last.key
            }
            var key = Array("AWS4\(secret)".utf8)
            for part in [String(day), region, "s3", "aws4_request"] {
                key = SHA256.authenticationCode(of: Array(part.utf8), key: key)
            }
            last = Made(secret: secret, region: region, day: String(day), key: key)
            return key
        }
    }
}
