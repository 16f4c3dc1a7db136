/// One opendir(3), wherever the directory is.
package final class OpenDirectory: Sendable {
    enum Kind: Sendable {
        /// The mount's root.
        case root
        /// A directory of `Local/`, with what the mount shows there beside what is on disk.
        case local(LocalListing, incoming: [LocalItem])
        /// A directory of a cloud scope.
        case cloud(CloudListing)
    }

    package let number: FileNumber
    let kind: Kind

    init(number: FileNumber, kind: Kind) {
        self.number = number
        self.kind = kind
    }
}
