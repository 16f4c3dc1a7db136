@testable import DocFS

/// One fresh, attached store and what a test may do to it besides.
protocol StoreBench: Sendable {
    var store: any CloudStore { get }

    /// The same store as another device has it.
    func another() async throws -> any CloudStore

    /// What another program does that knows nothing of us: a file closed with these bytes.
    func writeFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws

    /// Many empty files from outside in one directory, as many as show that a listing is complete.
    ///
    /// - Returns: their names.
    func fillFromOutside(_ directory: ItemPath) throws -> [String]

    /// What another program does that saves by renaming a new file over the old one.
    func renameFromOutside(_ path: ItemPath, _ bytes: [UInt8]) throws

    /// The store's root goes away, and comes back with everything in it.
    func hide() throws
    func show() throws

    /// How many objects wait for their commit.
    func staged() throws -> Int

    func end()
}

extension StoreBench {
    func fillFromOutside(_ directory: ItemPath) throws -> [String] {
        let names = (0..<10_000).map { "\($0)" }
        for name in names { try writeFromOutside(directory.appending(Name(name)), []) }
        return names
    }
}
