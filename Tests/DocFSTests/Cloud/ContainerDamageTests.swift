internal import TestSupport
internal import Testing

@testable import DocFS

/// What the fuzzer damages containers with: that its cases repeat, and that what it leaves whole is
/// read as before.
struct ContainerDamageTests {
    private let item = ItemID(high: 1, low: 2)

    private var state: ItemState {
        ItemState(
            parent: .root, name: "a",
            metadata: Metadata(
                mode: 0o640, modified: Timestamp(seconds: -5, nanoseconds: 999_999_999)),
            content: .file(Body(size: 1 << 40, digest: nil, revision: Revision("\"r1\""))),
            conflictOf: ConflictMark(of: ItemID(high: 7, low: 8), madeFrom: Revision("base")))
    }

    /// A container with one record, one page and a floor.
    private func files() throws -> ContainerFiles {
        let operation = OperationID(high: 3, low: 4)
        let change = Change(operation: operation, item: item, before: nil, after: state)
        var page = SnapshotPage()
        page.entries = [SnapshotPage.Entry(item: item, state: state, lodging: nil)]
        let bytes = try ContainerCoding.encode(page)
        let directory = ContainerLayout.snapshot(of: 1, by: operation)
        let floor = Floor(
            record: 1,
            snapshot: LogSnapshot(
                record: 1, digest: SHA256.digest(of: []), directory: directory,
                pages: [SHA256.digest(of: bytes)]))
        let record = LogRecord(
            device: DeviceID(high: 0, low: 1), deviceName: "one", time: 1, changes: [change])
        return ContainerFiles([
            ContainerLayout.marker: try ContainerCoding.encode(
                marker: ContainerID(high: 1, low: 1)),
            ContainerLayout.floor: try ContainerCoding.encode(floor),
            ContainerLayout.page(0, in: directory): bytes,
            ContainerLayout.record(1): try ContainerCoding.encode(record),
        ])
    }

    private func damage(_ seed: UInt64) throws -> ContainerDamage {
        var damage = ContainerDamage(
            seed: seed, files: try files(),
            items: [ContainerDamage.Item(id: item.description, state: JSONTree(state))],
            documents: ["a"])
        damage.run()
        return damage
    }

    @Test("JSON comes back as it was, whatever its numbers and names")
    func json() throws {
        let text = #"{"a":[18446744073709551616,-0,1e400,null],"a":{"é\"\\":"x\u0000"},"":[[],{}]}"#
        let tree = try #require(JSONTree(Array(text.utf8)))
        #expect(String(decoding: tree.bytes, as: UTF8.self) == text)
        #expect(tree.count == 11)
        for wrong in ["", "{", #"{"a"}"#, "[1,]", "[1]]", #""a"#, "{1:2}"] {
            #expect(JSONTree(Array(wrong.utf8)) == nil, "“\(wrong)” is no JSON")
        }
    }

    @Test("Every value of a text can be changed, and is told by its place")
    func places() throws {
        let tree = try #require(JSONTree(Array(#"{"a":[1,{"b":2}],"c":3}"#.utf8)))
        var places: [String] = []
        for number in 0..<tree.count {
            var changed = tree
            changed.change(number) { node, place in
                places.append(place)
                node = .literal("9")
            }
            #expect(changed != tree)
        }
        #expect(places == ["", "a", "a[0]", "a[1]", "a[1].b", "c"])
    }

    @Test("An item is written as records write it")
    func itemState() throws {
        let path = ContainerLayout.record(1)
        let record = try #require(try files().tree(path))
        let after = try #require(record[key: "changes"]?.elements.first?[key: "after"])
        let written = JSONTree(state).members.sorted { $0.key < $1.key }
        // Quotes in a revision are the only thing here that JSON escapes.
        #expect(written.map(\.key) == after.members.map(\.key).sorted())
        #expect(JSONTree(state)[key: "mtime"] == after[key: "mtime"])
        #expect(JSONTree(state)[key: "conflictOf"] == after[key: "conflictOf"])
    }

    @Test("A page that was changed is what the floor says of it once more")
    func seal() throws {
        var files = try files()
        let page = try #require(files.pages.first)
        files[page] = Array("{}".utf8)
        files.sealPages()
        let floor = try ContainerCoding.decodeFloor(try #require(files[ContainerFiles.floor]))
        #expect(floor.snapshot.pages == [SHA256.digest(of: Array("{}".utf8))])
    }

    @Test("The same seed does the same damage, another one other damage")
    func repeats() throws {
        var all: Set<[String]> = []
        for seed in 0..<200 as Range<UInt64> {
            let damage = try damage(seed)
            let again = try self.damage(seed)
            #expect(damage.words == again.words)
            #expect(damage.files == again.files)
            #expect(damage.objects == again.objects)
            #expect(!damage.words.isEmpty, "seed \(seed) does nothing")
            all.insert(damage.words)
        }
        #expect(all.count > 180)
    }

    @Test("A record that is appended is the next that a reader comes to")
    func appends() throws {
        var files = try files()
        files[ContainerFiles.record(.max)] = files[ContainerFiles.record(1)]
        let path = files.append([], time: .literal("1"))
        #expect(path == ContainerLayout.record(2))
        let record = try ContainerCoding.decodeRecord(try #require(files[path]))
        #expect(record.changes.isEmpty)
    }
}
