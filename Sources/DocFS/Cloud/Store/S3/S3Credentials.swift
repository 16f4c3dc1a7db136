/// Keys that requests are signed with.
///
/// Neither printed nor dumped: whatever shows a value of this type shows that there is one.
package struct S3Credentials: Hashable, Sendable {
    package var accessKey: String
    package var secretKey: String
    /// Of temporary credentials.
    package var sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "credentials" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
