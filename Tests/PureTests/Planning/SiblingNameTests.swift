internal import Testing

@testable import DocFS

/// S16: the names of conflict versions.
struct SiblingNameTests {
    private func name(_ name: Name, device: String = "laptop", attempt: Int = 0) -> Name {
        SiblingName.make(
            for: name, device: device, time: Timestamp(seconds: 1_700_000_000), attempt: attempt)
    }

    @Test("The extension stays at the end, compound ones whole")
    func endings() {
        let mark = " (conflict from laptop, 2023-11-14 22.13.20)"
        #expect(name("doc.txt") == Name("doc\(mark).txt"))
        #expect(name("a.tar.gz") == Name("a\(mark).tar.gz"))
        #expect(name("doc") == Name("doc\(mark)"))
        #expect(name(".profile") == Name(".profile\(mark)"))
        #expect(name(Name("doc\(mark)")) == Name("doc\(mark)\(mark)"))
        #expect(name("Dr. Who") == Name("Dr. Who\(mark)"))
        #expect(name("plan (v1.2)") == Name("plan (v1.2)\(mark)"))
        #expect(name("plan (v1.2).pdf") == Name("plan (v1.2)\(mark).pdf"))
    }

    @Test("Further attempts have other names")
    func attempts() {
        let names = (0..<200).map { name("doc.txt", attempt: $0) }
        #expect(Set(names).count == names.count)
    }

    @Test("Names stay valid and keep their characters whole, whatever their length")
    func lengths() {
        for length in 1...255 {
            for letter in ["n", "é", "文"] {
                let stem = String(repeating: letter, count: length).utf8.prefix(251)
                let long = name(
                    Name(Name.cut(Array(stem), to: 251) + ".txt".utf8),
                    device: String(repeating: letter, count: 200), attempt: length)
                #expect(long.isValid)
                #expect(String(validating: long.bytes, as: UTF8.self) != nil)
            }
        }
    }

    @Test("A device's name may hold what a file's may not")
    func device() {
        #expect(name("doc", device: "a/b\0c").isValid)
    }
}
