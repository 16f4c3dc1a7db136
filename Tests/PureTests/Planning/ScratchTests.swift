import Testing

@testable import DocFS

/// S15: the names that tools give to what is no document.
struct ScratchTests {
    @Test(
        "Scratch is known by its name",
        arguments: [
            ".doc.txt.swp", ".doc.swo", ".doc.swa", ".a.swx", ".#doc", "#doc#", "doc~",
            "~$doc.docx", ".~lock.doc.odt#", "lu1234abcd.tmp", ".goutputstream-ABCDEF",
            "film.mp4.part",
            "a.crdownload", ".fuse_hidden0001", ".nfs0001",
        ])
    func scratch(_ name: String) { #expect(Scratch().matches(Name(name))) }

    @Test(
        "Documents with names that look alike are documents",
        arguments: [
            "doc.txt", "doc.swp", ".doc.swz", ".swp", ".doc.swpx", "#", "#doc", "doc#", "~doc",
            "$doc", "lua.txt", "1.tmp", "lock.doc#", "part", "a.partial", ".hidden", ".nf",
        ])
    func documents(_ name: String) { #expect(!Scratch().matches(Name(name))) }

    @Test(
        "The configuration's rules come after the built-in ones, and the last one decides",
        arguments: [
            ("a.bak", true), ("keep.bak", false), ("keep.me~", false), ("other~", true),
            ("build", true), ("builds", false), ("n7", true), ("nx", false), ("a.txt", false),
        ])
    func rules(_ name: String, _ isScratch: Bool) {
        let scratch = Scratch(patterns: ["*.bak", "!keep.*", "build", "n[0-9]"])
        #expect(scratch.matches(Name(name)) == isScratch)
    }
}
