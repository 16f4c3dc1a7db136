/// Where things lie in a container.
package enum ContainerLayout {
    /// The version that this code reads and writes.
    static let version = 1
    /// The directory at the container's root that belongs to DocFS.
    package static let reserved: Name = ".docfs"

    static let marker: ItemPath = ".docfs/container.json"

    /// Record `number`, in sixteen digits so that names sort as numbers.
    package static func record(_ number: UInt64) -> ItemPath {
        ItemPath(".docfs/log/\(digits(number)).json")
    }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    static let floor: ItemPath = ".docfs/floor.json"

    /// Where the pages of a snapshot lie that `operation` makes.
    package static func snapshot(of record: UInt64, by operation: OperationID) -> ItemPath {
        ItemPath(".docfs/snapshots/\(digits(record))-\(operation)")
    }

    package static func page(_ number: Int, in directory: ItemPath) -> ItemPath {
        directory.appending(Name("\(digits(UInt64(number))).json"))
    }

    /// Where an earlier body of `item` is kept.
    package static func version(of item: ItemID, _ revision: Revision) -> ItemPath {
        ItemPath(".docfs/versions/\(item)").appending(Name(safe(revision.token)))
    }

    /// Where `path`, deleted by `operation` on `day` (`YYYY-MM-DD`), is kept.
    package static func trash(_ path: ItemPath, day: String, operation: OperationID) -> ItemPath {
        ItemPath(".docfs/trash/\(day)/\(operation)").appending(path)
    }

    /// A revision's token as one name: letters, digits, `.`, `-`, `_` stay, others become `=XX`.
    private static func safe(_ token: String) -> String {
        var text = ""
        for byte in token.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F:
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += "=" + hex(byte)
            }
        }
        return text
    }

    private static func hex(_ byte: UInt8) -> String {
        String(decoding: [hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]], as: UTF8.self)
    }
}
