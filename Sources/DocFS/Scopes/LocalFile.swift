/// One file or directory of `Local/` that the kernel holds, or that lies above one that it holds.
///
/// Guarded by the lock of ``LocalTable``, which never lets one out.
final class LocalFile {
    /// One name of a file.
    struct Place {
        let parent: LocalFile
        let name: Name
    }

    /// Changes once at most, when the inode is given to another file while the kernel holds this
    /// one.
    var number: FileNumber
    /// Whether this is the directory that `Local/` shows.
    ///
    /// Never cold, and reached without a name.
    let isRoot: Bool
    var identity: LocalIdentity
    var isDirectory: Bool
    /// Whether a filesystem begins here: the hidden folder may lie in it.
    var isTop: Bool
    /// Whether the last name is gone, so that the inode may be given to another file.
    var isGone = false

    /// How often the kernel was told of this number and has not forgotten it.
    var retained: UInt64 = 0
    /// How many places name this file as their parent.
    var children = 0
    /// The name that was seen last.
    var place: Place?
    /// Further names of a file with hard links, the newest first.
    var otherPlaces: [Place] = []
    /// Every open(2) of this file that was not closed.
    var open: [OpenFile] = []

    /// A directory's O_PATH descriptor while it is among the recently used ones.
    var descriptor: Descriptor?
    /// Used since the ring of descriptors came by the last time.
    var isRecent = false
    /// Where this file stands in the ring of descriptors.
    var descriptorSlot: Int?
    /// Where this file stands among those that were answered and not yet retained.
    var floatingSlot: Int?

    /// What the kernel's pages show; `nil` while it can have none.
    var stamp: LocalStamp?
    /// Whether the kernel was let write the file by itself, since it knows the number.
    var isWrittenUnseen = false
    /// Changes of our own that are being made to the content now.
    var changing = 0
    /// Whether two of them went on at the same time.
    var isOverlapped = false
    /// Moves with every begin and end of a change of our own.
    var epoch: UInt32 = 0

    init(
        number: FileNumber, identity: LocalIdentity, isDirectory: Bool, isRoot: Bool = false
    ) {
        self.number = number
        self.isRoot = isRoot
        self.identity = identity
        self.isDirectory = isDirectory
        isTop = isRoot
    }

    /// Whether nobody needs this file in memory.
    var isCold: Bool {
        !isRoot && retained == 0 && children == 0 && open.isEmpty && floatingSlot == nil
    }

    /// Whether what `status` shows under this file's number is not this file.
    func isAnother(than status: FileStatus) -> Bool {
        isGone || identity != LocalIdentity(status) || isDirectory != status.isDirectory
    }

    /// Whether this file was last seen under another name than this one.
    func isElsewhere(_ name: Name, in parent: FileNumber) -> Bool {
        guard let place else { return false }
        return place.parent.number != parent || place.name != name
    }

    func place(at index: Int) -> Place? {
        if index == 0 { return place }
        return index <= otherPlaces.count ? otherPlaces[index - 1] : nil
    }
}
