internal import CCurl

/// Certificates that are trusted beside the system's.
final class HTTPAuthorities: @unchecked Sendable {
    private let certificates: OpaquePointer

    /// - Throws: `.invalidArgument` when the PEM file at `path` holds none.
    init(path: String) throws(DocFSError) {
        guard let certificates = ccurl_read_authorities(path) else { throw .invalidArgument }
        self.certificates = certificates
    }

    deinit { ccurl_free_authorities(certificates) }

    /// Has a transfer trust them, which must not outlive this.
    func add(to easy: UnsafeMutableRawPointer) -> Bool {
        ccurl_set_authorities(easy, certificates) == CURLE_OK
    }
}
