import Testing

@testable import DocFS

@Suite struct S3AddressTests {
    @Test func amazonsRegionsAreTheDefault() throws {
        let address = try S3Address(url: "s3://docs")
        #expect(
            address
                == S3Address(
                    bucket: "docs", prefix: "",
                    endpoint: HTTPOrigin(isSecure: true, host: "s3.us-east-1.amazonaws.com"),
                    region: "us-east-1", style: .virtualHost))
        #expect(address.origin.description == "https://docs.s3.us-east-1.amazonaws.com")
        let other = try S3Address(url: "s3://my.docs/a/b%20c/?region=eu-west-3")
        #expect(other.prefix == "a/b c/")
        #expect(other.style == .path)
        #expect(other.origin.description == "https://s3.eu-west-3.amazonaws.com")
    }

    @Test func everythingElseIsNamed() throws {
        let address = try S3Address(
            url: "s3://docs/team?endpoint=http://127.0.0.1:7480&region=default&style=virtual"
                + "&profile=p&credentials=/etc/keys&ca=/etc/ca.pem")
        #expect(
            address
                == S3Address(
                    bucket: "docs", prefix: "team/",
                    endpoint: HTTPOrigin(isSecure: false, host: "127.0.0.1", port: 7480),
                    region: "default", style: .virtualHost, profile: "p",
                    credentialsFile: "/etc/keys", authorities: "/etc/ca.pem"))
        #expect(try S3Address(url: "s3://docs?endpoint=https://s3.host:8443/").style == .path)
        #expect(
            try S3Address(url: "s3://docs?endpoint=https://[::1]:8443").endpoint.authority
                == "[::1]:8443")
    }

    @Test(arguments: [
        "s3:/docs", "s3://", "s3://ab", "s3://KEY:SECRET@docs", "s3://docs//a", "s3://docs/..",
        "s3://docs/%00", "s3://docs?region", "s3://docs?region=", "s3://docs?key=1",
        "s3://docs?region=a&region=b", "s3://docs?endpoint=ftp://host",
        "s3://docs?endpoint=http://host/path", "s3://docs?endpoint=http://user@host",
        "s3://docs?endpoint=http://host:0", "s3://docs?style=other",
    ])
    func whatCannotBeMeantIsRefused(_ url: String) {
        #expect(throws: ConfigurationError.self) { _ = try S3Address(url: url) }
    }
}
