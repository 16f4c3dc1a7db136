internal import Foundation
internal import Testing

/// The working copy that this test was compiled from.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The Swift files of the library, with paths below Sources/DocFS.
    static func library() throws -> [SwiftFile] {
        try swiftFiles(below: "Sources/DocFS").map { path, source in
            SwiftFile(path: String(path.dropFirst("Sources/DocFS/".count)), source: source)
        }
    }

    /// Swift files below a folder of the repository, with paths from its root.
    static func swiftFiles(below folder: String) throws -> [(path: String, source: String)] {
        try files(below: folder).filter { $0.path.hasSuffix(".swift") }
    }

    /// The text of one file, by its path from the root.
    static func text(of path: String) throws -> String {
        try #require(try files(below: path).first).source
    }

    /// Text files below a folder, or the one file that `folder` names, sorted by path.
    static func files(below folder: String) throws -> [(path: String, source: String)] {
        let base = root.appending(path: folder)
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: base.path, isDirectory: &isDirectory) else {
            return []
        }
        let names =
            isDirectory.boolValue
            ? try FileManager.default.subpathsOfDirectory(atPath: base.path)
                .sorted().map { folder + "/" + $0 }
            : [folder]
        return names.compactMap { name in
            guard let data = FileManager.default.contents(atPath: root.appending(path: name).path),
                let source = String(data: data, encoding: .utf8)
            else { return nil }
            return (name, source)
        }
    }
}
