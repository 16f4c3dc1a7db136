/// The JSON shape of `floor.json`.
struct FloorBody: Codable {
    var v: Int
    var floor: UInt64
    var record: UInt64
    var directory: String
    /// SHA-256 in hexadecimal digits.
    var pages: [String]

    init(_ floor: Floor) {
        v = ContainerLayout.version
        self.floor = floor.record
        record = floor.snapshot.record
        directory = ContainerCoding.text(floor.snapshot.directory)
        pages = floor.snapshot.pages.map(\.description)
    }

    var value: Floor? {
        let digests = pages.compactMap { Digest(text: $0) }
        guard v == ContainerLayout.version, digests.count == pages.count,
            let directory = ContainerCoding.path(directory), floor <= record + 1
        else { return nil }
        return Floor(
            record: floor,
            snapshot: LogSnapshot(record: record, directory: directory, pages: digests))
    }
}
