/// One name of a listing.
package struct DirectoryEntry: Sendable {
    package var name: Name
    package var number: FileNumber
    /// Type bits as in `st_mode` (S_IFMT).
    package var type: UInt32
    /// Where the listing goes on after this entry.
    package var cookie: UInt64
    /// Present when the listing was asked for attributes and the entry still exists.
    package var attributes: FileAttributes?

    package init(
        name: Name, number: FileNumber, type: UInt32, cookie: UInt64,
        attributes: FileAttributes? = nil
    ) {
        self.name = name
        self.number = number
        self.type = type
        self.cookie = cookie
        self.attributes = attributes
    }
}
