import Testing

@testable import DocFS

// S14
@Suite("Documents that were renamed to a backup, whose new version is still to come")
struct HalfSavedTests {
    private static let metadata = Metadata(
        mode: 0o644, modified: Timestamp(seconds: 1, nanoseconds: 0), attributes: [])
    private static let directory = ItemID(high: 0, low: 7)

    private static func base(_ name: Name) -> ItemState {
        ItemState(
            parent: directory, name: name, metadata: metadata,
            content: .file(Body(size: 3, digest: nil, revision: Revision("1"))))
    }

    private static func view(_ name: Name, _ kind: ItemKind = .file) -> LocalView {
        LocalView(
            parent: directory, name: name, metadata: metadata, kind: kind, basis: Revision("1"))
    }

    @Test("The place is the one that the document had before")
    func place() throws {
        let place = try #require(
            Planner.placeBeforeBackup(
                local: Self.view("doc~"), base: Self.base("doc"), scratch: Scratch()))
        #expect(place.parent == Self.directory)
        #expect(place.name == "doc")
    }

    @Test("No place is waited for where nothing was half saved")
    func none() {
        let former: [(LocalView?, ItemState?)] = [
            (Self.view("other"), Self.base("doc")),
            (Self.view("doc~"), Self.base(".doc.swp")),
            (Self.view("doc~", .directory), Self.base("doc")),
            (Self.view("doc~"), nil),
            (nil, Self.base("doc")),
        ]
        for (number, (local, base)) in former.enumerated() {
            let place = Planner.placeBeforeBackup(local: local, base: base, scratch: Scratch())
            #expect(place == nil, "\(number)")
        }
    }
}
