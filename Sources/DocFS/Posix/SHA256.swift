internal import CCrypto

/// Hashes bytes as they come, by the system's libcrypto (FIPS 180-4).
package struct SHA256: ~Copyable, @unchecked Sendable {
    // Looked up once: a look-up costs more than hashing a small body.
    private nonisolated(unsafe) static let algorithm: OpaquePointer = {
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else { failed() }
        return algorithm
    }()

    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex(context, Self.algorithm, nil) == 1
        else { Self.failed() }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds `bytes` to what is hashed.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 { Self.failed() }
    }

    /// The digest of what was added so far; more may be added afterwards.
    package func digest() -> Digest {
        guard let copy = EVP_MD_CTX_new() else { Self.failed() }
        defer { EVP_MD_CTX_free(copy) }
        var bytes = [UInt8](repeating: 0, count: 32)
        guard EVP_MD_CTX_copy_ex(copy, context) == 1,
            EVP_DigestFinal_ex(copy, &bytes, nil) == 1, let digest = Digest(bytes: bytes)
        else { Self.failed() }
        return digest
    }

    /// The digest of `bytes`.
    package static func digest(of bytes: [UInt8]) -> Digest {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.digest()
    }

    /// The 32 bytes of HMAC-SHA256 (RFC 2104) that authenticate `bytes` by `key`.
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard
            HMAC(
                algorithm, key, Int32(key.count), bytes, bytes.count, &code, &length) != nil,
            length == 32
        else { failed() }
        return code
    }

    /// Only a libcrypto without memory, or without SHA-256, fails.
    private static func failed() -> Never {
        preconditionFailure("libcrypto has no SHA-256 for us")
    }
}
