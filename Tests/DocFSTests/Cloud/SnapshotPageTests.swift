import Testing

@testable import DocFS

struct SnapshotPageTests {
    private let item = ItemID(high: 1, low: 2)
    private let saver = Saver(device: "bob", time: 1_700_000_000)

    private func page(_ saver: Saver?) -> SnapshotPage {
        let time = Timestamp(seconds: 5, nanoseconds: 6)
        let state = ItemState(
            parent: .root, name: "a",
            metadata: Metadata(mode: 0o644, modified: time, attributes: []),
            content: .file(Body(size: 3, digest: nil, revision: Revision("r"))))
        var page = SnapshotPage()
        page.entries = [SnapshotPage.Entry(item: item, state: state, lodging: nil, saver: saver)]
        page.versions = [
            VersionRecord(
                item: item, revision: Revision("q"), path: ".docfs/versions/q", size: 2,
                digest: nil,
                modified: time, device: "alice", recorded: 7, saver: saver)
        ]
        page.trash = [
            TrashRecord(
                operation: OperationID(high: 3, low: 4), item: item, path: "a",
                place: ".docfs/trash/a", metadata: state.metadata, content: state.content,
                recorded: 8)
        ]
        page.leftovers = [Leftover(place: "b", revision: Revision("s"))]
        return page
    }

    @Test("A page comes back as it was, with or without who saved what it names")
    func coding() throws {
        for saver in [saver, nil] {
            let page = page(saver)
            #expect(try ContainerCoding.decodePage(try ContainerCoding.encode(page)) == page)
        }
    }
}
