import Testing

@testable import DocFS

/// Which servers are this computer: there alone keys go without TLS.
@Suite struct HTTPOriginTests {
    @Test(arguments: [
        "http://localhost", "http://LOCALHOST:7480", "http://127.0.0.1", "http://127.0.0.1:7480/",
        "http://127.255.255.254", "http://[::1]", "http://[::1]:7480", "http://[0:0:0:0:0:0:0:1]",
    ])
    func loopback(_ text: String) throws {
        let origin = try #require(HTTPOrigin(text: text))
        #expect(origin.isLoopback)
    }

    @Test(arguments: [
        "http://127.evil.example", "http://127.0.0.1.evil.example", "http://127.0.0",
        "http://127.1", "http://127.0.0.256", "http://127.0.0.1.", "http://0127.0.0.1",
        "http://127.0.0.01", "http://128.0.0.1", "http://localhost.evil.example",
        "http://evil.localhost.example", "http://[::2]", "http://[::1:1]",
        "http://[1:0:0:0:0:0:0:1]", "http://0.0.0.0", "http://[::]", "http://2130706433",
    ])
    func elsewhere(_ text: String) throws {
        let origin = try #require(HTTPOrigin(text: text))
        #expect(!origin.isLoopback)
    }

    @Test(arguments: [
        "http://", "http:///", "http://host:", "http://host:0", "http://host:65536",
        "http://host:\u{301}80", "http://host:\u{200D}80", "http://host/path", "ftp://host",
        "http:/host", "HTTP://host", "http://ho st", "http://h\u{F6}st", "http://user@host",
    ])
    func noServer(_ text: String) {
        #expect(HTTPOrigin(text: text) == nil)
    }

    @Test func ofAURL() {
        let origin = HTTPOrigin(ofURL: "https://s3.example:8443/b/k//x?y=http://127.0.0.1/")
        #expect(origin == HTTPOrigin(isSecure: true, host: "s3.example", port: 8443))
        #expect(HTTPOrigin(ofURL: "nonsense") == nil)
    }
}
