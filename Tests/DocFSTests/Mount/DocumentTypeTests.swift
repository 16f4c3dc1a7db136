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
}
