internal import CFuse
internal import Glibc

extension Posix {
    /// How a directory is opened that must be one and no link to one.
    package static let directoryFlags: Int32 = O_RDONLY | O_DIRECTORY | O_NOFOLLOW

    /// fsync(2) of a directory that may be open with O_PATH only.
    package static func syncDirectory(_ descriptor: Int32) throws(DocFSError) {
        let directory = try open(at: descriptor, [0x2E], flags: O_RDONLY | O_DIRECTORY)
        try sync(directory.number)
    }

    /// fchown(2); `nil` leaves a side as it is.
    package static func setOwner(of descriptor: Int32, user: UInt32?, group: UInt32?)
        throws(DocFSError)
    {
        try check { fchown(descriptor, user ?? .max, group ?? .max) }
    }
}
