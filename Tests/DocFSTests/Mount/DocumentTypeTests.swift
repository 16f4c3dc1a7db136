import DocFS
import Testing

@Suite struct DocumentTypeTests {
    @Test(arguments: [
        ("md", "note.md", true), ("md", "NOTE.MD", true), ("md", "note.txt", false),
        ("md", "md", false), ("tar.gz", "all.tar.gz", true), ("tar.gz", "all.gz", false),
        ("", "Makefile", true), ("", ".profile", true), ("", "note.md", false),
    ])
    func coversWhatHasItsExtension(_ ending: String, _ name: String, _ isCovered: Bool) {  // S18
        let type = DocumentType(key: "type", ending: ending, name: "", naming: .uuid)
        #expect(type.covers(Name(name)) == isCovered)
    }

    @Test func theLongestExtensionDecides() {
        func type(_ key: String, _ ending: String) -> DocumentType {
            DocumentType(key: key, ending: ending, name: nil, naming: .uuid)
        }
        let types = [type("gz", "gz"), type("other", ""), type("archive", "tar.gz")]
        for types in [types, types.reversed()] {
            #expect(types.type(of: "all.TAR.gz")?.key == "archive")
            #expect(types.type(of: "one.gz")?.key == "gz")
            #expect(types.type(of: "Makefile")?.key == "other")
            #expect(types.type(of: "note.md") == nil)
        }
    }

    @Test func whatNewDocumentsAreCalled() {  // S27
        func title(_ name: String?, _ naming: DocumentType.Naming) -> String {
            DocumentType(key: "type", ending: "", name: name, naming: naming).title
        }
        #expect(title(nil, .sequential) == "Untitled" && title(nil, .timestamp) == "Untitled")
        #expect(title(nil, .uuid) == "" && title("Doc", .uuid) == "Doc")
    }
}
