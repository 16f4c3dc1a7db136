package import DocFS

/// The files that a container keeps of itself, by their paths: what damage is done to.
///
/// The bytes alone; what they mean is left to those who damage them and those who read them.
package struct ContainerFiles: Hashable, Sendable {
    private var bytes: [ItemPath: [UInt8]]

    package init(_ bytes: [ItemPath: [UInt8]]) { self.bytes = bytes }

    package static let marker: ItemPath = ".docfs/container.json"
    package static let floor: ItemPath = ".docfs/floor.json"
    package static let collector: ItemPath = ".docfs/collector.json"
    private static let log: ItemPath = ".docfs/log"
    private static let snapshots: ItemPath = ".docfs/snapshots"

    package subscript(path: ItemPath) -> [UInt8]? {
        get { bytes[path] }
        set { bytes[path] = newValue }
    }

    /// In their order.
    package var paths: [ItemPath] { bytes.keys.sorted() }

    /// The records in their order.
    package var records: [ItemPath] { paths.filter { $0.isAtOrBelow(Self.log) } }

    /// The pages of the snapshot that stands for the log's beginning, in their order.
    package var pages: [ItemPath] {
        guard let directory = tree(Self.floor)?[key: "directory"]?.text else { return [] }
        let place = ItemPath(directory)
        guard place.isAtOrBelow(Self.snapshots) else { return [] }
        return paths.filter { $0.isAtOrBelow(place) }
    }

    /// Where record `number` lies.
    package static func record(_ number: UInt64) -> ItemPath {
        let digits = String(number)
        let zeros = String(repeating: "0", count: max(0, 16 - digits.count))
        return log.appending(Name("\(zeros)\(digits).json"))
    }

    /// The number of the last record that a reader of the log comes to.
    package var lastRecord: UInt64 {
        let numbers = records.compactMap { record in
            record.name.flatMap { UInt64($0.description.prefix { $0.isNumber }) }
        }
        guard var last = numbers.first else { return 0 }
        for number in numbers.dropFirst() where number == last &+ 1 { last = number }
        return last
    }

    /// A file's text; `nil` where it is missing or no JSON.
    package func tree(_ path: ItemPath) -> JSONTree? { bytes[path].flatMap { JSONTree($0) } }

    /// Appends a record with these changes, as a device does that may write here.
    ///
    /// - Returns: where.
    package mutating func append(_ changes: [JSONTree], time: JSONTree) -> ItemPath {
        let path = Self.record(lastRecord + 1)
        let record: JSONTree = .object([
            JSONTree.Member("changes", .array(changes)),
            JSONTree.Member("device", .string(String(repeating: "d", count: 32))),
            JSONTree.Member("name", .string("mallory")),
            JSONTree.Member("time", time),
            JSONTree.Member("v", .literal("2")),
        ])
        bytes[path] = record.bytes
        return path
    }

    /// Has each record name what the one before it hashes to, and the floor what the record of its
    /// snapshot does: whoever writes one can write all.
    package mutating func chainRecords() {
        for (before, after) in zip(records, records.dropFirst()) {
            guard var record = tree(after), case .object = record else { continue }
            let digest = SHA256.digest(of: bytes[before] ?? []).description
            if record[key: "previous"] == .string(digest) { continue }
            record[key: "previous"] = .string(digest)
            bytes[after] = record.bytes
        }
        guard var floor = tree(Self.floor), case .literal(let digits)? = floor[key: "record"],
            let number = UInt64(digits), let record = bytes[Self.record(number)]
        else { return }
        floor[key: "digest"] = .string(SHA256.digest(of: record).description)
        bytes[Self.floor] = floor.bytes
    }

    /// Has the floor say of the pages what they hash to now: whoever writes one can write both.
    package mutating func sealPages() {
        guard var floor = tree(Self.floor) else { return }
        floor[key: "pages"] = .array(
            pages.map { page in
                .string(SHA256.digest(of: bytes[page] ?? []).description)
            })
        bytes[Self.floor] = floor.bytes
    }

    /// What must be written where, and what removed (`nil`), to make `other` of this.
    package func changes(to other: ContainerFiles) -> [(path: ItemPath, bytes: [UInt8]?)] {
        Set(paths + other.paths).sorted().filter { self[$0] != other[$0] }
            .map { ($0, other[$0]) }
    }
}
