/// A multipart upload that was begun and is not completed yet.
struct S3Upload: Sendable {
    let key: String
    let id: String
    /// What will be kept beside the object.
    let metadata: S3Metadata
}
