internal import Glibc
import TestSupport
import Testing

@testable import DocFS

/// Anything may happen in `Local/`: who follows what is told has in the end what the disk has
/// (S29).
struct LocalReplayTests {
    /// What a reader knows by now, and what is wrong with what it was told.
    private struct Reader {
        var paths: Set<ItemPath>
        var objections: [String] = []

        mutating func follow(_ change: LocalChange) {
            let (path, parent) = (change.path, change.path.parent)
            if !parent.isRoot, !paths.contains(parent), change.kind != .deleted {
                objections.append("no \(parent) for \(change)")
            }
            switch change.kind {
            case .made:
                if !paths.insert(path).inserted { objections.append("made again: \(path)") }
            case .edited:
                if !paths.contains(path) { objections.append("not there: \(path)") }
            case .deleted:
                if !paths.contains(path) { objections.append("not there: \(path)") }
                paths = paths.filter { !$0.isAtOrBelow(path) }
            case .moved(let from):
                if !paths.contains(from) { objections.append("not there: \(from)") }
                if paths.contains(path) { objections.append("in the way: \(path)") }
                paths = Set(
                    paths.map { other in
                        guard other.isAtOrBelow(from) else { return other }
                        return ItemPath(
                            path.components + other.components.dropFirst(from.components.count))
                    })
            }
        }
    }

    private static func paths(below folder: String) throws -> Set<ItemPath> {
        var found: Set<ItemPath> = []
        var pending = [ItemPath.root]
        while let path = pending.popLast() {
            let directory = try Posix.open(
                path: folder + "/" + path.description, flags: O_RDONLY | O_DIRECTORY)
            for name in try DirectoryStream.names(at: directory.number) {
                found.insert(path.appending(name))
                if try Posix.status(at: directory.number, name.bytes).isDirectory {
                    pending.append(path.appending(name))
                }
            }
        }
        return found
    }

    private static let names = ["a", "b", "c"]

    /// One random change; what cannot be done is not.
    private static func step(_ folder: String, _ elsewhere: String, _ random: inout SeededRandom) {
        func path() -> String {
            let depth = Int(random.next() % 3) + 1
            return folder + "/"
                + (0..<depth).map { _ in names[Int(random.next() % 3)] }.joined(separator: "/")
        }
        let target = path()
        let (first, second) = (folder + "/" + names[0], folder + "/" + names[1])
        switch random.next() % 13 {
        case 10:
            // Replaced, but for what is kept of it.
            mkdir(folder + "/tmp", 0o755)
            rename(first + "/b", folder + "/tmp/b")
            rename(first, elsewhere + "/" + names[Int(random.next() % 3)])
            rename(folder + "/tmp", first)
        case 11:
            // Turned inside out.
            mkdir(folder + "/tmp", 0o755)
            rename(first + "/b", folder + "/tmp/b")
            rename(first, folder + "/tmp/b/c")
            rename(folder + "/tmp", first)
        case 12:
            rename(first, folder + "/tmp")
            rename(second, first)
            rename(folder + "/tmp", second)
        case 0, 1: mkdir(target, 0o755)
        case 2, 3:
            let file = Glibc.open(target, O_WRONLY | O_CREAT | O_APPEND, 0o644)
            if file >= 0 {
                _ = Glibc.write(file, "x", 1)
                close(file)
            }
        case 4, 5, 6: rename(target, path())
        case 7: remove(target)
        case 8: rename(target, elsewhere + "/" + names[Int(random.next() % 3)])
        default: rename(elsewhere + "/" + names[Int(random.next() % 3)], target)
        }
    }

    @Test("A reader that follows has what the disk has", arguments: 1...100 as ClosedRange<UInt64>)
    func replay(seed: UInt64) throws {
        let (folder, elsewhere) = (try LocalFixture(), try LocalFixture())
        let inotify = try Inotify()
        try #require(try inotify.open())
        var random = SeededRandom(seed: seed)
        for _ in 0..<20 { Self.step(folder.path, elsewhere.path, &random) }
        let root = try Posix.open(path: folder.path, flags: O_RDONLY | O_DIRECTORY)
        var tree = try LocalWatchTree(root: root, hidden: Name(".docfs"), inotify: inotify)
        tree.begin { true }
        var reader = Reader(paths: try Self.paths(below: folder.path))
        for round in 0..<60 {
            for _ in 0...(random.next() % 8) { Self.step(folder.path, elsewhere.path, &random) }
            // Now and then the kernel has dropped them all.
            let isLost = random.next() % 8 == 0
            while true {
                let events = try inotify.events()
                if events.isEmpty { break }
                for event in events where !isLost { tree.take(event) }
            }
            if isLost {
                tree.take(Inotify.Event(watch: -1, mask: Inotify.overflow, name: nil))
            }
            let changes = tree.settle()
            for change in changes { reader.follow(change) }
            let there = try Self.paths(below: folder.path)
            #expect(
                reader.objections.isEmpty && reader.paths == there,
                """
                round \(round), lost: \(isLost): \(reader.objections), \(changes); \
                not told: \(there.subtracting(reader.paths)), \
                told wrongly: \(reader.paths.subtracting(there))
                """)
            if !reader.objections.isEmpty || reader.paths != there { return }
        }
    }
}
