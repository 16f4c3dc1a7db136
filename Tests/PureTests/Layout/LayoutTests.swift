internal import Foundation
internal import Testing

/// The walls between the rooms and the habits of the house, held against Sources/.
struct LayoutTests {
    private let layout: Layout

    init() throws {
        layout = Layout(rooms: Rooms.all, files: try Repository.library())
        try #require(layout.files.count > 10, "Sources/DocFS was not found")
    }

    private func expectNone(
        _ objections: [Layout.Objection], at location: SourceLocation = #_sourceLocation
    ) {
        for objection in objections {
            Issue.record(Comment(rawValue: objection.description), sourceLocation: location)
        }
    }

    @Test("Every file lies in a room")
    func homes() { expectNone(layout.homeless()) }

    @Test("A room names only types of the rooms in its row")
    func walls() { expectNone(layout.walls()) }

    @Test("A room imports only the modules in its row")
    func imports() { expectNone(layout.imports()) }

    @Test("No room says a word that is another's")
    func words() { expectNone(layout.words()) }

    @Test("One type per file, the file named for it")
    func oneTypeOneFile() { expectNone(layout.oneTypeOneFile()) }

    @Test("Every type is documented")
    func documented() { expectNone(layout.undocumented()) }

    @Test("Type names use the glossary's words")
    func synonyms() { expectNone(layout.synonyms()) }

    @Test("Files and functions have one subject")
    func sizes() { expectNone(layout.sizes()) }

    @Test("No two rooms see each other")
    func acyclic() {
        let seen = Dictionary(
            uniqueKeysWithValues: Rooms.all.map { room in
                (room.folder, Set(room.views.map(\.folder)))
            })
        for (index, room) in Rooms.all.enumerated() {
            let below = Set(Rooms.all[..<index].map(\.folder))
            let above = seen[room.folder, default: []].subtracting(below)
            #expect(above.isEmpty, "\(room.folder) sees \(above.sorted()), which stand above it")
        }
    }

    @Test("The matrix of references counts what the rooms name")
    func matrix() {
        if ProcessInfo.processInfo.environment["DOCFS_MATRIX"] != nil { print(layout.report()) }
        #expect(layout.matrix()["Posix"]?["Model", default: 0] ?? 0 > 0)
    }
}
