internal import Foundation
internal import Testing

/// Habits that hold for every text of the repository, code or not.
struct HouseTests {
    private static let folders = [
        "Sources", "Tests", "scripts", ".ci", "Package.swift", "README.md", "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]

    private let files: [(path: String, source: String)]

    init() throws {
        files = try Self.folders.flatMap { try Repository.files(below: $0) }
    }

    private func lines(
        of files: [(path: String, source: String)], where isFound: (Substring) -> Bool
    ) -> [String] {
        files.flatMap { path, source in
            source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .filter { isFound($0.element) }.map { "\(path):\($0.offset + 1)" }
        }
    }

    private func code(_ suffixes: [String]) -> [(path: String, source: String)] {
        files.filter { file in suffixes.contains { file.path.hasSuffix($0) } }
    }

    @Test("No line of code is longer than 100 characters")
    func lineLength() {
        let long = lines(of: code([".swift", ".c", ".h", ".sql"])) { $0.count > 100 }
        #expect(long.isEmpty, "a line fits beside another file on a screen: break it")
    }

    @Test("No file is longer than 500 lines")
    func fileLength() {
        let long = code([".swift", ".c", ".h", ".sql"]).filter {
            $0.source.utf8.count { $0 == UInt8(ascii: "\n") } > 500
        }
        #expect(long.map(\.path).isEmpty, "a file that long has two subjects: split it")
    }

    @Test("No error is swallowed without a comment beside it that says why it cannot matter")
    func swallowedErrors() {
        let found = uncommented(/\btry\?|catch \{\}/, below: "Sources/")
        #expect(
            found.isEmpty, "its failure may cost somebody a document: handle it, or say why not")
    }

    @Test("No test sleeps without a comment just above that says what for")
    func sleepingTests() {
        let sleep = /\b(usleep\(|Task\.sleep)/
        let tests = code([".swift"]).filter {
            $0.path.hasPrefix("Tests/DocFSTests/") || $0.path.hasPrefix("Tests/StoreTests/")
                || $0.path.hasPrefix("Tests/Support/")
        }
        let found = tests.flatMap {
            let lines = $0.source.split(separator: "\n", omittingEmptySubsequences: false)
            let path = $0.path
            return lines.indices.filter { index in
                lines[index].contains(sleep)
                    && !lines[max(0, index - 3)...index].contains { $0.contains("// ") }
            }.map { "\(path):\($0 + 1)" }
        }
        #expect(
            found.isEmpty, "a busy machine takes longer: wait for what must come with eventually")
    }

    /// The lines with `pattern` in paragraphs of code that have no comment.
    private func uncommented(_ pattern: Regex<some Any>, below folder: String) -> [String] {
        code([".swift"]).filter { $0.path.hasPrefix(folder) }.flatMap { file in
            Self.uncommented(pattern, file.source).map { "\(file.path):\($0)" }
        }
    }

    private static func uncommented(_ pattern: Regex<some Any>, _ source: String) -> [Int] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        var found: [Int] = []
        for paragraph in lines.indices.split(whereSeparator: { lines[$0].isEmpty }) {
            if paragraph.contains(where: { lines[$0].contains("//") }) { continue }
            found += paragraph.filter { lines[$0].contains(pattern) }.map { $0 + 1 }
        }
        return found
    }

    @Test("No marker of unfinished work is left")
    func markers() throws {
        // Put together here, so that this file is not found.
        let words = [
            "TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "not yet " + "implemented",
        ]
        let marker = try Regex("\\b(" + words.joined(separator: "|") + ")\\b")
        let found = lines(of: files) { $0.contains(marker) }
        #expect(found.isEmpty, "what is missing is said in an issue, or to users in README: do it")
    }

    @Test("No path of a developer's machine is named")
    func machinePaths() {
        let words = [
            "/ro" + "ot/", "/Us" + "ers/", "/wo" + "rk/", "/op" + "t/swift", "/ho" + "me/",
        ]
        let found = lines(of: files) { line in words.contains { line.contains($0) } }
        #expect(found.isEmpty, "nobody else has that path: take it from an argument or a variable")
    }

    @Test("Every link from a page to a file leads somewhere")
    func links() throws {
        let link = try Regex(
            #"\]\(([^):#]+)(#[^)]*)?\)"#, as: (Substring, Substring, Substring?).self)
        let missing = code([".md"]).flatMap { path, source in
            source.matches(of: link).map(\.output.1).filter { target in
                let folder = Repository.root.appending(path: path).deletingLastPathComponent()
                return !FileManager.default.fileExists(
                    atPath: folder.appending(path: String(target)).path)
            }.map { "\(path): \($0)" }
        }
        #expect(missing.isEmpty, "the reader finds nothing there: mend the link")
    }
}
