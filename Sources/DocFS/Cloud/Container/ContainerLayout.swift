/// Where things lie in a container.
package enum ContainerLayout {
    /// The version that this code reads and writes.
    static let version = 2
    /// The directory at the container's root that belongs to DocFS.
    package static let reserved: Name = ".docfs"

    static let marker: ItemPath = ".docfs/container.json"

    static let log: ItemPath = ".docfs/log"

    /// Record `number`, in sixteen digits so that names sort as numbers.
    package static func record(_ number: UInt64) -> ItemPath {
        log.appending(Name("\(digits(number)).json"))
    }

    /// The number of the record that lies at `path`; `nil` when none does.
    package static func number(ofRecord path: ItemPath) -> UInt64? {
        guard let name = path.name?.description, name.hasSuffix(".json"),
            let number = UInt64(name.dropLast(5)), path == record(number)
        else { return nil }
        return number
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    static let floor: ItemPath = ".docfs/floor.json"
    static let collector: ItemPath = ".docfs/collector.json"
    /// Where stores put what is on its way.
    static let uploads: ItemPath = ".docfs/tmp"
    static let snapshots: ItemPath = ".docfs/snapshots"
    static let versions: ItemPath = ".docfs/versions"
    static let trash: ItemPath = ".docfs/trash"

    /// Where the pages of a snapshot lie that `operation` makes.
    package static func snapshot(of record: UInt64, by operation: OperationID) -> ItemPath {
        snapshots.appending(Name("\(digits(record))-\(operation)"))
    }

    package static func page(_ number: Int, in directory: ItemPath) -> ItemPath {
        directory.appending(Name("\(digits(UInt64(number))).json"))
    }

    /// Where an earlier body of `item` is kept.
    package static func version(of item: ItemID, _ revision: Revision) -> ItemPath {
        versions.appending(Name("\(item)")).appending(Name(safe(revision.token)))
    }

    /// Whether bodies that somebody may count on are kept at `path`.
    package static func keeps(_ path: ItemPath) -> Bool {
        path.isAtOrBelow(versions) || path.isAtOrBelow(trash)
    }

    /// Whether what lies at `path`, below one of ``Container/collected``, is nobody's when it is
    /// old enough: in the log and beside it what is below the floor; of what stores have put aside
    /// neither what may be the only body of its kind.
    package static func isWaste(_ path: ItemPath, below floor: Floor?) -> Bool {
        let name = path.name?.description ?? ""
        if keeps(path) { return true }
        if path.isAtOrBelow(uploads) { return name.hasPrefix("probe-") || name.hasSuffix(".part") }
        guard let floor else { return false }
        if path.isAtOrBelow(snapshots) { return !path.isAtOrBelow(floor.snapshot.directory) }
        return path.isAtOrBelow(log) && path < record(floor.record)
    }

    /// Where `path`, deleted by `operation` on `day` (`YYYY-MM-DD`), is kept.
    package static func trash(_ path: ItemPath, day: String, operation: OperationID) -> ItemPath {
        ItemPath(".docfs/trash/\(day)/\(operation)").appending(path)
    }

    /// The path of what is kept at `place` in the trash.
    package static func path(ofTrash place: ItemPath) -> ItemPath? {
        guard place.isAtOrBelow(trash), place.components.count > 4 else { return nil }
        return ItemPath(Array(place.components[4...]))
    }

    /// What `collected` says of a directory that was deleted by `operation` and has no body.
    package static func deletedDirectory(_ path: ItemPath, by operation: OperationID) -> ItemPath {
        trash(path, day: directories, operation: operation)
    }

    /// What that says.
    package static func deletedDirectory(saidBy collected: ItemPath)
        -> (path: ItemPath, operation: OperationID)?
    {
        let names = collected.components
        guard let path = path(ofTrash: collected), names[2].description == directories,
            let operation = OperationID(text: names[3].description)
        else { return nil }
        return (path, operation)
    }

    /// Stands where a day would.
    private static let directories = "directories"

    /// A revision's token as one name: letters, digits, `.`, `-`, `_` stay, others become `=XX`.
    private static func safe(_ token: String) -> String {
        var text = ""
        for byte in token.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += "=" + String(hexOf: [byte])
            }
        }
        return text
    }
}
