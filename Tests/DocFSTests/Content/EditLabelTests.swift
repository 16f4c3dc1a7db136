import Testing

@testable import DocFS

@Suite("Labels of content files")
struct EditLabelTests {
    static let labels = [
        EditLabel(
            scope: "Cloud", item: ItemID(high: 1, low: 2), basis: Revision("i1-s2-m3.4"),
            path: ItemPath("dir/Report.txt")),
        EditLabel(
            scope: "Work, with ünïcode", item: ItemID(high: .max, low: 0), basis: nil,
            path: ItemPath([Name([0xFF, 0x0A, 0x20]), Name("b")])),
    ]

    @Test("A label is read as it was written", arguments: labels)
    func roundTrip(_ label: EditLabel) {
        #expect(EditLabel(bytes: label.bytes) == label)
    }

    @Test("Bytes that are no label are none")
    func refused() {
        let good = Self.labels[0].bytes
        #expect(EditLabel(bytes: []) == nil)
        #expect(EditLabel(bytes: Array(good.prefix { $0 != 0x2D })) == nil)
        #expect(EditLabel(bytes: Array("Cloud\0not an item\0\0path".utf8)) == nil)
        // A path that leads nowhere.
        #expect(EditLabel(bytes: Array("Cloud\0\(ItemID(high: 1, low: 2))\0\0".utf8)) == nil)
    }
}
