/// What says in the container that an upload was begun, so that it can be aborted when its process
/// is killed: nothing in the store's own list of uploads tells ours from others'.
struct S3UploadNote: Codable, Sendable {
    var key: String
    var upload: String
}
