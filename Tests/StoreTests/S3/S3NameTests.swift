import TestSupport
import Testing

@testable import DocFS

/// S30: names that only one side can hold are shown under a reversible escape.
@Suite struct S3NameTests {
    @Test func plainNamesAreTheirOwnComponents() {
        for text in ["a", "Grüße.txt", "a+b&c=d?e#f%2F", "...", " ", "docfs-key", "docfs-bytes"] {
            #expect(S3Name.component(of: Name(text)) == text)
            #expect(S3Name.name(of: text) == Name(text))
        }
    }

    @Test func whatOnlyOneSideHoldsIsEscaped() {
        #expect(S3Name.component(of: Name([0x63, 0xE9])) == "docfs-bytes=c%E9")
        #expect(S3Name.component(of: "a\nb") == "docfs-bytes=a%0Ab")
        #expect(S3Name.name(of: "") == "docfs-key=")
        #expect(S3Name.name(of: ".") == "docfs-key=.")
        #expect(S3Name.name(of: "..") == "docfs-key=..")
        #expect(S3Name.name(of: "a\0b") == "docfs-key=a%00b")
        #expect(S3Name.name(of: "a\nb") == "docfs-key=a%0Ab")
        // What already looks like that, on either side.
        #expect(S3Name.component(of: "docfs-bytes=a%0Ab") == "docfs-bytes=docfs-bytes=a%0Ab")
        #expect(S3Name.name(of: "docfs-key=..") == "docfs-key=docfs-key=..")
        #expect(S3Name.name(of: "docfs-key=plain") == "docfs-key=plain")
    }

    /// Pieces that meet every rule somewhere.
    private static let pieces: [[UInt8]] = [
        Array("docfs-key=".utf8), Array("docfs-bytes=".utf8), [0x2E], [0x2E, 0x2E], [0x61],
        Array("%00".utf8), Array("%0a".utf8), Array("%0A".utf8), Array("%FF".utf8), [0x25], [0x3D],
        Array("ü".utf8), Array("%C3%BC".utf8), Array("%2E".utf8), Array("%25".utf8),
    ]

    @Test func namesAndComponentsAreTheOthersInverse() {
        var random = SeededRandom(seed: 30)
        var names: [String: Name] = [:]
        for _ in 0..<100_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                bytes += Self.pieces.randomElement(using: &random)!
            }
            // As a name, with bytes that keys have not.
            let name = Name(bytes + (Bool.random(using: &random) ? [0xFF] : []))
            if name.isValid {
                let component = S3Name.component(of: name)
                #expect(S3Name.name(of: component) == name)
                #expect(names.updateValue(name, forKey: component) ?? name == name)
                #expect(!component.utf8.contains(0x2F))
            }
            // As a component, with characters that names have not.
            let text =
                String(decoding: bytes, as: UTF8.self)
                + (Bool.random(using: &random) ? "\0" : "")
            let shown = S3Name.name(of: text)
            #expect(S3Name.component(of: shown) == text)
            #expect(shown.isValid || shown.bytes.count > 255)
        }
    }
}
