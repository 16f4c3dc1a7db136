/// A complete new body below `.docfs/tmp`, waiting for its commit.
struct StagedBody: Sendable {
    let place: FolderPlace
    let status: FileStatus
}
