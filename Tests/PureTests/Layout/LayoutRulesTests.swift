internal import Testing

/// The layout rules themselves: each finds what it is there to find, and nothing else.
struct LayoutRulesTests {
    private let rooms = [
        Room(folder: "Low", purpose: "below", views: [], imports: []),
        Room(
            folder: "Low/Inner", purpose: "inside", views: [.all("Low")], imports: ["Glibc"],
            bannedWords: ["async": "it waits for nothing"]),
        Room(
            folder: "High", purpose: "above", views: [.protocols("Low")], imports: [],
            mayNameErrno: true, fileLimit: 10),
    ]

    private func layout(_ files: [String: String]) -> Layout {
        Layout(
            rooms: rooms,
            files: files.sorted { $0.key < $1.key }.map {
                SwiftFile(path: $0.key, source: $0.value)
            })
    }

    @Test("A wall is felt in code and in interpolations, not in comments, strings or members")
    func walls() {
        let low = "struct Thing {}\nprotocol Door {}"
        let quiet = """
            // Thing
            /* Thing /* nested */ Thing */
            let text = "Thing \\" Thing" + #"a "Thing" b"#
            let member = Other.Thing()
            func take(_ door: any Door) {}
            """
        #expect(layout(["Low/Thing.swift": low, "High/A.swift": quiet]).walls().isEmpty)
        let loud = "let text = \"a \\(Thing.name) b\""
        let found = layout(["Low/Thing.swift": low, "High/A.swift": loud]).walls()
        #expect(found.map(\.place) == ["High/A.swift:1"])
        #expect(layout(["Low/Thing.swift": low, "Low/Inner/A.swift": loud]).walls().isEmpty)
        #expect(
            layout(["High/A.swift": "struct A {}", "Low/B.swift": "let a = A()"]).walls().count == 1
        )
    }

    @Test("A door that shows some types hides the others")
    func doors() {
        let door = Room.View.only("Low", ["Shown"])
        #expect(door.shows("Shown", declaredBy: "struct"))
        #expect(!door.shows("Hidden", declaredBy: "protocol"))
        #expect(!Room.View.protocols("Low").shows("Shown", declaredBy: "class"))
    }

    @Test("A nested type hides another room's type of the same name")
    func nested() {
        let files = [
            "Low/State.swift": "struct State {}",
            "High/A.swift": "struct A { enum State { case on }\n let state: State }",
        ]
        #expect(layout(files).walls().isEmpty)
    }

    @Test("Imports, banned words and errno are found where they are not at home")
    func words() {
        let files = [
            "Low/A.swift": "internal import Glibc\nlet code = ENOENT",
            "Low/Inner/B.swift": "internal import Glibc\nfunc wait() async {}",
            "High/C.swift": "let code = ENOENT // async",
            "Low/D.swift": "let flag = docfs_o_path",
        ]
        #expect(layout(files).imports().map(\.place) == ["Low/A.swift:1"])
        #expect(
            layout(files).words().map(\.place) == [
                "Low/A.swift:2", "Low/D.swift:1", "Low/Inner/B.swift:2",
            ])
    }

    @Test("Homeless files, second types and missing comments are found")
    func files() {
        let files = [
            "Attic/A.swift": "struct A {}",
            "Low/B.swift": "/// B.\nstruct B {}\nprivate struct Hidden {}",
            "Low/C.swift": "/// C.\npackage struct C {}\nstruct D {}",
            "Low/B+More.swift": "extension B {}",
        ]
        #expect(layout(files).homeless().map(\.place) == ["Attic/A.swift"])
        #expect(layout(files).oneTypeOneFile().map(\.place) == ["Low/C.swift"])
        #expect(layout(files).undocumented().map(\.place) == ["Low/C.swift:3"])
    }

    @Test("Long files and functions are found")
    func sizes() {
        let body = String(repeating: "    work()\n", count: 4)
        let file = "protocol P {\n    func short()\n    func other()\n}\nfunc long() {\n\(body)}\n"
        let found = layout(["High/A.swift": file, "Low/A.swift": file]).sizes(functionLimit: 5)
        #expect(found.map(\.place) == ["High/A.swift:5", "Low/A.swift:5"])
        let long = layout(["High/A.swift": file + "\n\n\n"]).sizes()
        #expect(long.map(\.place) == ["High/A.swift"])
    }

    @Test("Synonyms are found as words of a name")
    func synonyms() {
        #expect(Synonyms.words(of: "HTTPHandleTable") == ["http", "handle", "table"])
        #expect(Synonyms.objection(to: "NodeTable", in: "Low") != nil)
        #expect(Synonyms.objection(to: "Anode", in: "Low") == nil)
        #expect(Synonyms.objection(to: "InodeTable", in: "FUSE") == nil)
        #expect(Synonyms.objection(to: "InodeTable", in: "Low") != nil)
    }
}
