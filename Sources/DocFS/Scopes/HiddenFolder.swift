internal import Glibc

/// The folder at the top of Local's directory that is never shown: contents of documents that
/// moved from `Local/` to a cloud scope lie there, so that nothing is copied (S24).
///
/// In it each state directory has a folder of its own, for two that share one `Local/` one after
/// the other.
package struct HiddenFolder: Sendable {
    /// Its name at the top of `Local/`.
    package static let name = Name(".docfs")

    /// The content files.
    package let contents: Descriptor
    /// What is on its way from one scope to another.
    let moving: Descriptor
    let folder: Descriptor

    /// Opens the folder below `local`, made when it is missing (0700).
    package init(in local: Descriptor, of device: DeviceID) throws(DocFSError) {
        let all = try Self.directory(Self.name.bytes, in: local)
        folder = try Self.directory(Array(device.description.utf8), in: all)
        contents = try Self.directory(Self.contentsName, in: folder)
        moving = try Self.directory(Self.movingName, in: folder)
    }

    /// Which devices have folders below `local`.
    package static func devices(in local: Descriptor) throws(DocFSError) -> [DeviceID] {
        do throws(DocFSError) {
            return try DirectoryStream.names(at: local.number, name.bytes)
                .compactMap { DeviceID(text: $0.description) }
        } catch .notFound {
            return []
        }
    }

    /// Gives the folder of a device that has another identity now that one's name, if there is one.
    package static func rename(_ old: DeviceID, to new: DeviceID, in local: Descriptor)
        throws(DocFSError)
    {
        do {
            let all = try Posix.openBeneath(
                local.number, name.bytes, flags: O_RDONLY | O_DIRECTORY)
            try Posix.rename(
                at: all.number, Array(old.description.utf8), to: all.number,
                Array(new.description.utf8))
            try Posix.syncDirectory(all.number)
        } catch .notFound {}
    }

    private static let contentsName = Array("contents".utf8)
    private static let movingName = Array("moving".utf8)

    /// Gives what is in it other names: the next one who opens the folder finds nothing.
    func putAside(as name: [UInt8]) throws(DocFSError) {
        for (old, new) in [
            (Self.contentsName, name), (Self.movingName, Self.movingName + [0x2D] + name),
        ] {
            do throws(DocFSError) {
                try Posix.rename(at: folder.number, old, to: folder.number, new)
            } catch .notFound {
            } catch .notEmpty {
                // A start within the same second was interrupted: these are of the same catalog.
            }
        }
    }

    private static func directory(_ name: [UInt8], in parent: Descriptor) throws(DocFSError)
        -> Descriptor
    {
        do {
            try Posix.makeDirectory(at: parent.number, name, mode: 0o700)
            try Posix.syncDirectory(parent.number)
        } catch .exists {}
        return try Posix.openBeneath(parent.number, name, flags: O_RDONLY | O_DIRECTORY)
    }
}
