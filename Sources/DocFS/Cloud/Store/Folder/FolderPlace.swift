/// One name in one open directory of a folder.
struct FolderPlace: Sendable {
    let directory: Descriptor
    let name: [UInt8]
}
