/// What a store was found able to do, declared after ``CloudStore/attach(create:)``.
package struct StoreCapabilities: Hashable, Sendable {
    /// Writes, copies and moves with `.absent` have exactly one winner.
    package var conditionalCreate: Bool
    /// Writes with `.revision` are refused when the object has moved on.
    package var conditionalReplace: Bool
    /// Removes are refused when the object has moved on.
    package var conditionalRemove: Bool
    /// ``CloudStore/move(_:expecting:to:condition:)`` works, and atomically for directories.
    package var moves: Bool
    /// Objects carry ``ObjectMetadata``; otherwise only the log tells whose an object is.
    package var objectMetadata: Bool
    /// ``CloudStore/setMetadata(_:expecting:_:)`` works.
    package var metadataInPlace: Bool
    /// ``CloudStore/list(_:)`` tells of objects what ``CloudStore/head(_:)`` tells.
    ///
    /// Otherwise only path, size and revision are right, and whether something is a directory: a
    /// symbolic link is listed as a file, times are the store's own, metadata and modes are
    /// missing.
    package var listsMetadata: Bool
    /// Directories exist by themselves.
    package var directories: Bool
    /// ``CloudStore/events()`` reports changes by others as they happen.
    package var events: Bool
    /// Listing everything costs little: where no events tell of changes it is done regularly.
    package var cheapListing: Bool
    /// Names that differ only in case or normalisation are one name.
    package var foldsNames: Bool
    /// The least time between two records of one device, in milliseconds.
    package var recordIntervalMilliseconds: Int
    /// Nanoseconds until ``CloudStore/removeTombstones()`` has something to do; `nil` if never.
    package var tombstonesDue: UInt64?
    /// The store itself removes, or archives, what is old of the container's own files.
    package var expires = false
    /// The store is on a disk of this computer's that DocFS itself lies on.
    package var isOnOwnDisk = false
    /// Why this device may write nothing, in words, the store's where it has any: it reads and
    /// follows.
    package var writesRefused: String?
    /// This device may write nothing, and there is no container: the container's own files, of
    /// which the log is one, are kept on this device, for itself alone.
    package var logIsPrivate = false
    /// Why it may delete nothing, likewise; `nil` too where it may not even write.
    package var deletesRefused: String?
    /// The store has said what it lets this device do: otherwise what was known before counts.
    package var rightsAreKnown = true
    /// The store has refused something: what this device may do is to be asked once more, by
    /// ``CloudStore/attach(create:)``.
    package var rightsAreDoubted = false

    package init(
        conditionalCreate: Bool, conditionalReplace: Bool, conditionalRemove: Bool, moves: Bool,
        objectMetadata: Bool, metadataInPlace: Bool, listsMetadata: Bool, directories: Bool,
        events: Bool, cheapListing: Bool, foldsNames: Bool, recordIntervalMilliseconds: Int
    ) {
        self.conditionalCreate = conditionalCreate
        self.conditionalReplace = conditionalReplace
        self.conditionalRemove = conditionalRemove
        self.moves = moves
        self.objectMetadata = objectMetadata
        self.metadataInPlace = metadataInPlace
        self.listsMetadata = listsMetadata
        self.directories = directories
        self.events = events
        self.cheapListing = cheapListing
        self.foldsNames = foldsNames
        self.recordIntervalMilliseconds = recordIntervalMilliseconds
    }
}

extension StoreCapabilities {
    /// A store that can do everything, with names as Linux has them.
    package static var whole: StoreCapabilities {
        StoreCapabilities(
            conditionalCreate: true, conditionalReplace: true, conditionalRemove: true,
            moves: true, objectMetadata: true, metadataInPlace: true, listsMetadata: true,
            directories: true, events: true, cheapListing: true, foldsNames: false,
            recordIntervalMilliseconds: 0)
    }
}
