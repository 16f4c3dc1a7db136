/// What earlier versions and deleted documents are called.
enum VersionName {
    /// The earlier versions of a document, and what they are called in `versions`; without those
    /// that the user has removed.
    static func versions(of row: LocalItem, in read: CatalogReader) throws(DocFSError)
        -> [(name: Name, record: VersionRecord)]
    {
        let records = try read.versions(of: row.item, scope: row.scope)
        var shown: [(Name, VersionRecord)] = []
        // A name stays what it is until all devices know of the removal.
        for (name, record) in zip(names(of: records, document: row.name), records)
        where try !read.isUnwanted(record.path, scope: row.scope) {
            shown.append((name, record))
        }
        return shown
    }

    /// `YYYY-MM-DD HH.MM.SS DEVICE.EXT` for each record: when it was saved, in UTC, and on which
    /// device; where no record tells that, when and where it was replaced.
    ///
    /// The same on every device that knows who saved them. Versions of the same moment are counted.
    static func names(of records: [VersionRecord], document: Name) -> [Name] {
        let ending = document.parts.ending
        var taken: Set<[UInt8]> = []
        let ordered = records.indices.sorted {
            (saver(records[$0]).time, records[$0].recorded, records[$0].revision.token)
                < (saver(records[$1]).time, records[$1].recorded, records[$1].revision.token)
        }
        var names = [Name](repeating: document, count: records.count)
        for index in ordered {
            let saver = saver(records[index])
            let device = saver.device.utf8.map { $0 == 0x2F || $0 == 0 ? 0x2D : $0 }
            let stem = Array("\(moment(saver.time)) ".utf8) + Name.cut(device, to: 64)
            var name = stem + ending
            var count = 1
            while !taken.insert(name).inserted {
                count += 1
                name = stem + Array(" \(count)".utf8) + ending
            }
            names[index] = Name(name)
        }
        return names
    }

    private static func saver(_ record: VersionRecord) -> Saver {
        record.saver ?? Saver(device: record.device, time: record.recorded)
    }

    /// `NAME (deleted YYYY-MM-DD HH.MM.SS).EXT`, at most 255 bytes.
    ///
    /// - Parameter attempt: 0 first, then 1, 2… while the name is taken.
    static func deleted(_ name: Name, recorded: Int64, attempt: Int) -> Name {
        let (stem, ending) = name.parts
        let counter = attempt == 0 ? "" : " \(attempt + 1)"
        let mark = Array("\(deletedMark)\(moment(recorded))\(counter))".utf8)
        let room = Name.maximumLength - mark.count - ending.count
        return Name(Name.cut(stem, to: room) + mark + ending)
    }

    /// How the mark of a deleted document begins.
    static let deletedMark = " (deleted "

    private static func moment(_ seconds: Int64) -> String {
        CivilTime(Timestamp(seconds: seconds)).nameText
    }
}
