import Foundation
import Testing

@testable import DocFS

@Suite struct S3CredentialTests {
    private let directory = NSTemporaryDirectory() + "/docfs-keys-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
    }

    private func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = "\(directory)/\(name)"
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode]))
        return path
    }

    private static let shared = """
        # comment
        [default]
        aws_access_key_id = one
        aws_secret_access_key=first =

        [ other ]
        aws_access_key_id = two
        aws_secret_access_key = second
        aws_session_token = token
        s3 =
          aws_access_key_id = nested
        """

    @Test func theEnvironmentComesBeforeTheSharedFiles() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = try file("credentials", Self.shared)
        var environment = ["AWS_SHARED_CREDENTIALS_FILE": path, "AWS_CONFIG_FILE": "/none"]
        func found(_ profile: String? = nil) throws -> S3Credentials {
            try S3CredentialSource(file: nil, profile: profile, environment: environment)
                .credentials()
        }
        #expect(try found() == S3Credentials(accessKey: "one", secretKey: "first ="))
        let other = S3Credentials(accessKey: "two", secretKey: "second", sessionToken: "token")
        #expect(try found("other") == other)
        environment["AWS_PROFILE"] = "other"
        #expect(try found() == other)
        environment["AWS_ACCESS_KEY_ID"] = "three"
        environment["AWS_SECRET_ACCESS_KEY"] = "third"
        #expect(try found() == S3Credentials(accessKey: "three", secretKey: "third"))
        // A profile that is asked for is not overruled.
        #expect(try found("other") == other)
    }

    @Test func theConfigurationFileNamesItsProfilesOtherwise() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = try file(
            "config", "[profile p]\naws_access_key_id=a\naws_secret_access_key=b\n")
        let environment = ["AWS_SHARED_CREDENTIALS_FILE": "/none", "AWS_CONFIG_FILE": path]
        let source = S3CredentialSource(file: nil, profile: "p", environment: environment)
        #expect(try source.credentials() == S3Credentials(accessKey: "a", secretKey: "b"))
        let none = S3CredentialSource(file: nil, profile: nil, environment: environment)
        #expect(throws: DocFSError.self) { try none.credentials() }
    }

    @Test func aFileThatOthersMayReadIsRefused() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let safe = try file("safe", Self.shared)
        let keys = try S3CredentialSource(file: safe, profile: nil, environment: [:]).credentials()
        #expect(keys.accessKey == "one")
        let open = try file("open", Self.shared, mode: 0o640)
        let error = #expect(throws: DocFSError.self) {
            try S3CredentialSource(file: open, profile: nil, environment: [:]).credentials()
        }
        #expect(error?.sentence.contains("chmod 600") == true)
    }

    @Test func aFileIsReadAgainWhenItsKeysAreRefused() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = try file("keys", Self.shared)
        let source = S3CredentialSource(file: path, profile: nil, environment: [:])
        #expect(try source.credentials().accessKey == "one")
        #expect(!source.reread())
        _ = try file("keys", "[default]\naws_access_key_id=n\naws_secret_access_key=m\n")
        #expect(try source.credentials().accessKey == "one")
        #expect(source.reread())
        #expect(try source.credentials().accessKey == "n")
    }

    @Test func keysAreNeverShown() {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let keys = S3Credentials(
            accessKey: "visible", secretKey: "visible", sessionToken: "visible")
        var dumped = ""
        dump(keys, to: &dumped)
        for text in ["\(keys)", "\([keys])", String(reflecting: keys), dumped, "\(keys as Any)"] {
            #expect(!text.contains("visible"))
        }
    }
}
