internal import Foundation
internal import Testing

@testable import DocFS

/// The one table of the attributes `user.docfs.*`, against the documentation and the programs.
struct AttributeTableTests {
    @Test("The page Attributes has every attribute, with what it says and may be, and no other")
    func page() throws {
        let rows = try Repository.text(of: "Sources/DocFS/Documentation.docc/Attributes.md")
            .split(separator: "\n").filter { $0.hasPrefix("| `user.docfs.") }.map(String.init)
        let expected = DocumentAttribute.allCases.map { attribute in
            "| `\(attribute.rawValue)` | \(attribute.subject.rawValue) | \(attribute.answer ?? "") "
                + "| \(attribute.order ?? "") |"
        }
        #expect(rows == expected)
    }

    @Test("Whatever docfs and the pages call an attribute is one, or lies on a disk only")
    func names() throws {
        let onDisk: Set<String> = ["user.docfs.edit", "user.docfs.object"]
        let known = onDisk.union(DocumentAttribute.allCases.map(\.rawValue))
        let name = try Regex("user\\.docfs\\.[a-z]+([.-][a-z]+)*")
        let files = try ["README.md", "Sources/docfs", "Sources/DocFS/Documentation.docc"]
            .flatMap { try Repository.files(below: $0) }
        var count = 0
        for file in files {
            for match in file.source.matches(of: name) {
                count += 1
                let word = String(file.source[match.range])
                #expect(known.contains(word), "\(word) in \(file.path)")
            }
        }
        #expect(count > 20)
    }
}
