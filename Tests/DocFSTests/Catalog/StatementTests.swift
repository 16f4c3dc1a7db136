import Foundation
import Testing

@testable import DocFS

/// What goes into the columns of the catalog, and comes out of them.
struct StatementTests {
    @Test("An identity is its sixteen bytes, and nothing else is one")
    func identities() throws {
        let path = NSTemporaryDirectory() + "docfs-statement-\(UUID().uuidString)"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let connection = try Connection(path, forWriting: true)
        let item = ItemID(high: 0x0102_0304_0506_0708, low: 0xF0F1_F2F3_F4F5_F6F7)
        let read = try connection.first(
            Query("SELECT ?1, hex(?1), ?2, x'', x'01', x'0102030405060708090a0b0c0d0e0f1011'"),
            {
                $0.bind(item)
                $0.bind(ItemID?.none)
            },
            { row in
                let first = row.identifier(ItemID.self)
                let text = row.text()
                return (first, text, (0..<4).map { _ in row.identifier(ItemID.self) })
            })
        #expect(read?.0 == item)
        #expect(read?.1 == "0102030405060708F0F1F2F3F4F5F6F7")
        #expect(read?.2 == [nil, nil, nil, nil])
        #expect(item.description == "0102030405060708f0f1f2f3f4f5f6f7")
        #expect(ItemID(bytes: item.bytes) == item)
    }
}
