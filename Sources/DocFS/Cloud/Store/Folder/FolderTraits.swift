/// What the filesystem under a folder store was found able to do (the probe at attach).
struct FolderTraits: Hashable, Sendable {
    /// RENAME_NOREPLACE of renameat2(2).
    var renamesWithoutReplacing = true
    /// RENAME_EXCHANGE of renameat2(2).
    var exchanges = true
    /// link(2).
    var links = true
    /// OFD locks of fcntl(2).
    var locks = true
    /// `user.*` attributes (xattr(7)).
    var attributes = true
    /// Permission bits stay as they were set.
    var modes = true
    /// st_ctime tells when a file was changed or renamed, by the filesystem's clock.
    var changeTimes = true
    /// inotify(7) sees what other computers do.
    var events = true
    /// Names that differ only in case or normalisation are one name.
    var foldsNames = false

    /// For who only looks.
    static let none = FolderTraits(
        renamesWithoutReplacing: false, exchanges: false, links: false, locks: false,
        attributes: false, modes: false, changeTimes: false, events: false)

    /// What a store with these traits promises.
    var capabilities: StoreCapabilities {
        StoreCapabilities(
            conditionalCreate: renamesWithoutReplacing || links, conditionalReplace: locks,
            conditionalRemove: locks, moves: true, objectMetadata: attributes,
            metadataInPlace: true, listsMetadata: true, directories: true, events: events,
            cheapListing: true, foldsNames: foldsNames,
            recordIntervalMilliseconds: 50)
    }

    /// What both have.
    func intersection(_ other: FolderTraits) -> FolderTraits {
        FolderTraits(
            renamesWithoutReplacing: renamesWithoutReplacing && other.renamesWithoutReplacing,
            exchanges: exchanges && other.exchanges, links: links && other.links,
            locks: locks && other.locks, attributes: attributes && other.attributes,
            modes: modes && other.modes, changeTimes: changeTimes && other.changeTimes,
            events: events && other.events, foldsNames: foldsNames || other.foldsNames)
    }
}
