internal import Glibc

/// The folder at the top of Local's directory that is never shown: contents of documents that
/// moved from `Local/` to a cloud scope lie there, so that nothing is copied (S24).
package struct HiddenFolder: Sendable {
    /// Its name at the top of `Local/`.
    package static let name = Name(".docfs")

    /// The content files.
    package let contents: Descriptor
    /// What is on its way from one scope to another.
    let moving: Descriptor

    /// Opens the folder below `local`, made when it is missing (0700).
    package init(in local: Descriptor) throws(DocFSError) {
        let folder = try Self.directory(Self.name.bytes, in: local)
        contents = try Self.directory(Array("contents".utf8), in: folder)
        moving = try Self.directory(Array("moving".utf8), in: folder)
    }

    private static func directory(_ name: [UInt8], in parent: Descriptor) throws(DocFSError)
        -> Descriptor
    {
        do {
            try Posix.makeDirectory(at: parent.number, name, mode: 0o700)
        } catch .exists {}
        return try Posix.openBeneath(parent.number, name, flags: O_RDONLY | O_DIRECTORY)
    }
}
