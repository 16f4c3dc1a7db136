/// The JSON shape of `floor.json`.
struct FloorBody: Codable {
    var v: Int
    var floor: UInt64
    var record: UInt64
    /// SHA-256 of that record, in hexadecimal digits.
    var digest: String
    var directory: String
    /// SHA-256 in hexadecimal digits.
    var pages: [String]

    init(_ floor: Floor) {
        v = ContainerLayout.version
        self.floor = floor.record
        record = floor.snapshot.record
        digest = floor.snapshot.digest.description
        directory = ContainerCoding.text(floor.snapshot.directory)
        pages = floor.snapshot.pages.map(\.description)
    }

    func checked() throws(RuleBreach) -> Floor {
        guard v == ContainerLayout.version else { throw RuleBreach("it has another layout") }
        let record = try ContainerRules.record(record)
        let directory = try ContainerRules.path(directory)
        guard floor <= record + 1 else { throw RuleBreach("it lies above its own snapshot") }
        guard directory.components.count == 3, directory.isAtOrBelow(ContainerLayout.snapshots)
        else { throw RuleBreach("its snapshot lies where no snapshots lie") }
        guard let digest = Digest(text: digest) else {
            throw RuleBreach("its record has no digest")
        }
        var digests: [Digest] = []
        for page in pages {
            if let digest = try ContainerRules.digest(page) { digests.append(digest) }
        }
        return Floor(
            record: floor,
            snapshot: LogSnapshot(
                record: record, digest: digest, directory: directory, pages: digests))
    }
}
