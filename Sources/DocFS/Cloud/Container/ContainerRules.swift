/// What may stand in a container, for all devices alike: who reads it takes nothing else, and who
/// writes it writes nothing else.
///
/// Everybody who may write the container is outside our trust. Beyond these rules a record could
/// overflow arithmetic, hold itself, or fill the memory of every device that reads it.
package enum ContainerRules {
    /// The largest file of ours, in bytes: a record, a page of a snapshot, what names them.
    ///
    /// Decoding takes up to thirty times as much memory for a moment.
    package static let largestFile = 2 << 20
    /// Bytes up to which entries are put into one page of a snapshot, and changes into one record;
    /// one entry or change may be as large as the rest of ``largestFile``.
    package static let fullFile = 1 << 20
    /// The most changes of one record: they are applied in one transaction, for which programs that
    /// touch names wait.
    package static let mostChanges = 1_000
    /// The last number that a record may have: with sixteen digits names sort as numbers.
    package static let lastRecord: UInt64 = 9_999_999_999_999_999
    /// The longest token of a revision, in bytes.
    static let longestRevision = 1024
    /// The longest target of a symbolic link, in bytes (PATH_MAX of Linux).
    static let longestTarget = 4096
    /// The most names of a path below ``ContainerLayout/reserved``: those of the item, and those in
    /// front of it.
    private static let longestPath = ItemPath.maximumDepth + 8

    /// About how many bytes of a file of ours an item, a version or the like takes.
    ///
    /// - Parameter names: bytes of its names and paths.
    package static func writtenSize(_ metadata: Metadata?, names: Int) -> Int {
        // Base64 takes four bytes for three; a byte of a name that is no text takes three.
        (metadata?.attributes ?? []).reduce(500 + 3 * names) { $0 + 8 + $1.size * 4 / 3 }
    }

    // MARK: Values

    static func item(_ text: String) throws(RuleBreach) -> ItemID {
        guard let item = ItemID.item(text) else { throw RuleBreach("an identity is no item's") }
        return item
    }

    static func parent(_ text: String) throws(RuleBreach) -> ItemID {
        guard let item = ItemID(text: text) else { throw RuleBreach("an identity is none") }
        return item
    }

    static func operation(_ text: String) throws(RuleBreach) -> OperationID {
        guard let operation = OperationID(text: text) else {
            throw RuleBreach("an operation is none")
        }
        return operation
    }

    static func name(_ text: String) throws(RuleBreach) -> Name {
        guard let name = ContainerCoding.name(text) else {
            throw RuleBreach("a name is none that a directory can hold")
        }
        return name
    }

    /// - Parameter text: names joined by slashes.
    static func path(_ text: String) throws(RuleBreach) -> ItemPath {
        guard let path = ContainerCoding.path(text) else {
            throw RuleBreach("a path has a name that a directory cannot hold")
        }
        guard path.components.count <= longestPath else { throw RuleBreach("a path is too deep") }
        return path
    }

    /// Where the container keeps a body that was replaced or removed.
    static func kept(_ text: String) throws(RuleBreach) -> ItemPath {
        let path = try path(text)
        guard ContainerLayout.keeps(path) else {
            throw RuleBreach("a body is kept where no bodies are kept")
        }
        return path
    }

    /// Where an item's object lies.
    static func object(_ text: String) throws(RuleBreach) -> ItemPath {
        let path = try path(text)
        guard !path.isRoot, !path.components.contains(ContainerLayout.reserved) else {
            throw RuleBreach("an object lies in a container's own directory")
        }
        return path
    }

    static func revision(_ text: String) throws(RuleBreach) -> Revision {
        guard text.utf8.count <= longestRevision else { throw RuleBreach("a revision is too long") }
        return Revision(text)
    }

    /// - Parameter size: bytes.
    static func size(_ size: UInt64) throws(RuleBreach) -> UInt64 {
        guard size <= Body.maximumSize else { throw RuleBreach("a size is none that a file has") }
        return size
    }

    static func digest(_ text: String?) throws(RuleBreach) -> Digest? {
        guard let text else { return nil }
        guard let digest = Digest(text: text) else { throw RuleBreach("a digest is none") }
        return digest
    }

    /// - Parameter numbers: seconds and nanoseconds.
    static func time(_ numbers: [Int64]) throws(RuleBreach) -> Timestamp {
        guard numbers.count == 2, let time = Timestamp(checked: numbers[0], nanoseconds: numbers[1])
        else { throw RuleBreach("a time is not within the years 1 to 9999") }
        return time
    }

    /// A clock's seconds, which are for people only: those beyond what a calendar has are taken for
    /// its end.
    static func clock(_ seconds: Int64) -> Int64 { Timestamp(seconds: seconds).seconds }

    /// A device's name, which is for people only: as much of it as a file's name may have.
    static func deviceName(_ text: String) -> String {
        if text.utf8.count <= Name.maximumLength { return text }
        return String(decoding: Name.cut(Array(text.utf8), to: Name.maximumLength), as: UTF8.self)
    }

    /// A record that has been, or may be, in the log.
    static func record(_ number: UInt64) throws(RuleBreach) -> UInt64 {
        guard number <= lastRecord else { throw RuleBreach("a record's number is too large") }
        return number
    }

    /// An item's place: nothing has the name ``ContainerLayout/reserved``, which another container
    /// would have below the root.
    static func place(_ name: Name, in parent: ItemID, of item: ItemID? = nil)
        throws(RuleBreach)
    {
        if name == ContainerLayout.reserved {
            throw RuleBreach("an item has the name of a container's own directory")
        }
        if parent == item { throw RuleBreach("an item is in itself") }
    }

    /// Whether an attribute of this name is one of the user's own that a file of Linux can have.
    ///
    /// The others go without a word.
    static func isKept(_ name: String) -> Bool {
        name.hasPrefix("user.") && name != "user." && !name.hasPrefix("user.docfs.")
            && !name.utf8.contains(0)
    }

    static func attributes(_ attributes: [ExtendedAttribute]) throws(RuleBreach)
        -> [ExtendedAttribute]
    {
        var sum = 0
        for attribute in attributes {
            guard attribute.name.utf8.count <= ExtendedAttribute.maximumName,
                attribute.value.count <= ExtendedAttribute.maximumValue
            else { throw RuleBreach("an extended attribute is too large") }
            sum += attribute.size
        }
        guard sum <= ExtendedAttribute.maximumSum else {
            throw RuleBreach("the extended attributes are too large")
        }
        return attributes
    }

    /// Where a symbolic link points.
    static func target(_ bytes: [UInt8]) throws(RuleBreach) -> [UInt8] {
        guard !bytes.isEmpty, bytes.count <= longestTarget, !bytes.contains(0) else {
            throw RuleBreach("a symbolic link points nowhere")
        }
        return bytes
    }
}
