internal import Glibc
import TestSupport
import Testing

@testable import DocFS

/// What is told of `Local/`, found out on a real directory (S29).
struct LocalWatchTests {
    private let folder: LocalFixture
    private let inotify: Inotify

    init() throws {
        folder = try LocalFixture()
        inotify = try Inotify()
        try #require(try inotify.open())
    }

    private func tree() throws -> LocalWatchTree {
        let root = try Posix.open(path: folder.path, flags: O_RDONLY | O_DIRECTORY)
        var tree = try LocalWatchTree(root: root, hidden: Name(".docfs"), inotify: inotify)
        tree.begin { true }
        return tree
    }

    /// What is told after `body` has changed the directory.
    private func told(_ tree: inout LocalWatchTree, _ body: () throws -> Void) throws -> [String] {
        try body()
        while true {
            let events = try inotify.events()
            if events.isEmpty { break }
            for event in events { tree.take(event) }
        }
        return tree.settle().map { change in
            switch change.kind {
            case .made: "made \(change.path)"
            case .edited: "edited \(change.path)"
            case .deleted: "deleted \(change.path)"
            case .moved(let from): "moved \(change.path) from \(from)"
            }
        }
    }

    private func write(_ path: String, _ text: String) throws {
        try folder.put(path, text)
    }

    private func make(_ path: String) throws {
        try Posix.check { mkdir(folder.path + "/" + path, 0o755) }
    }

    private func move(_ old: String, _ new: String) throws {
        try Posix.check { rename(folder.path + "/" + old, folder.path + "/" + new) }
    }

    private func remove(_ path: String) throws {
        try Posix.check { Glibc.remove(folder.path + "/" + path) }
    }

    @Test("What comes, changes and goes is told once, with all that is in a new directory")
    func simple() throws {
        try write("old", "1")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try make("dir")
                try make("dir/inner")
                try write("dir/inner/doc", "1")
                try write("old", "22")
            } == ["made dir", "made dir/inner", "made dir/inner/doc", "edited old"])
        #expect(try told(&tree) { try write("dir/inner/doc", "22") } == ["edited dir/inner/doc"])
        #expect(
            try told(&tree) {
                try remove("dir/inner/doc")
                try remove("dir/inner")
                try remove("dir")
            } == ["deleted dir/inner/doc", "deleted dir/inner", "deleted dir"])
        #expect(tree.isSettled)
    }

    @Test("A save is one edit, however its editor writes")
    func saves() throws {
        try write("doc", "1")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try write(".doc.swp", "22")
                try move(".doc.swp", "doc")
            } == ["edited doc"])
        #expect(
            try told(&tree) {
                try move("doc", "doc~")
                try write("doc", "333")
                try remove("doc~")
            } == ["edited doc"])
        #expect(
            try told(&tree) {
                try remove("doc")
                try write("doc", "4444")
            } == ["edited doc"])
        #expect(
            try told(&tree) {
                try move("doc", "doc~")
                try write("doc", "55555")
            } == ["made doc~", "edited doc"])
        #expect(
            try told(&tree) {
                try write("tmp", "1")
                try remove("tmp")
            } == [])
    }

    @Test("A move is told with where it was, also of a directory that is changed at the same time")
    func moves() throws {
        try make("a")
        try make("a/b")
        try write("a/b/doc", "1")
        try make("c")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try move("a/b/doc", "c/doc")
                try move("c/doc", "other")
            } == ["moved other from a/b/doc"])
        #expect(
            try told(&tree) {
                try write("a/b/new", "1")
                try move("a", "c/moved")
                try write("c/moved/b/later", "1")
            } == ["moved c/moved from a", "made c/moved/b/later", "made c/moved/b/new"])
        // The watches have moved with it.
        #expect(try told(&tree) { try write("c/moved/b/new", "22") } == ["edited c/moved/b/new"])
        #expect(
            try told(&tree) {
                try move("c/moved/b", "b")
                try remove("b/new")
            } == ["deleted c/moved/b/new", "moved b from c/moved/b"])
    }

    @Test("What is taken out of the directory is told as gone, with all that is in it")
    func leaves() throws {
        try make("dir")
        try make("dir/inner")
        try write("dir/inner/doc", "1")
        let elsewhere = try LocalFixture()
        var tree = try tree()
        let gone = try told(&tree) {
            try Posix.check { rename(folder.path + "/dir", elsewhere.path + "/dir") }
        }
        #expect(gone == ["deleted dir/inner/doc", "deleted dir/inner", "deleted dir"])
        // Nobody is told of what happens there, and of what comes back as of anything new.
        #expect(
            try told(&tree) {
                try elsewhere.put("dir/inner/doc", "22")
            } == [])
        #expect(
            try told(&tree) {
                try Posix.check { rename(elsewhere.path + "/dir", folder.path + "/dir") }
            } == ["made dir", "made dir/inner", "made dir/inner/doc"])
        #expect(try told(&tree) { try remove("dir/inner/doc") } == ["deleted dir/inner/doc"])
    }

    @Test("A directory that is removed and made again is told by what is in it")
    func replaced() throws {
        try make("dir")
        try write("dir/doc", "1")
        var tree = try tree()
        let told = try self.told(&tree) {
            try remove("dir/doc")
            try remove("dir")
            try make("dir")
            try write("dir/other", "1")
        }
        // The disk may give the new one the number of the old one.
        #expect(told.contains("deleted dir/doc") && told.contains("made dir/other"))
        #expect(try self.told(&tree) { try write("dir/third", "1") } == ["made dir/third"])
    }

    @Test("What moves into a directory that is new moves, and is watched there")
    func newDirectory() throws {
        try make("sub")
        try write("sub/x", "1")
        try write("y", "1")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try make("new")
                try move("sub", "new/sub")
                try move("y", "new/y")
            } == ["made new", "moved new/sub from sub", "moved new/y from y"])
        #expect(try told(&tree) { try write("new/sub/x", "22") } == ["edited new/sub/x"])
    }

    @Test(
        "What is kept while its directory is replaced moves, and is watched", arguments: [0, 1, 2])
    func upgraded(way: Int) throws {
        try make("a")
        try make("a/sub")
        try write("a/sub/x", "1")
        try write("a/y", "1")
        let elsewhere = try LocalFixture()
        var tree = try tree()
        let told = try self.told(&tree) {
            try make("tmp")
            try move("a/sub", "tmp/sub")
            switch way {
            case 0:
                try remove("a/y")
                try remove("a")
            case 1: try Posix.check { rename(folder.path + "/a", elsewhere.path + "/a") }
            default: try move("a", "tmp/sub/former")
            }
            try move("tmp", "a")
        }
        // Either it has moved, or it was told anew with all that is in it.
        #expect(
            told.contains { $0.hasPrefix("moved") && $0.contains("sub") }
                || told.contains("made a/sub/x"), "\(told)")
        #expect(try self.told(&tree) { try write("a/sub/x", "22") } == ["edited a/sub/x"])
        #expect(try self.told(&tree) { try write("a/sub/new", "1") } == ["made a/sub/new"])
    }

    @Test("Many directories that move at once are told in a moment")
    func many() throws {
        for number in 0..<2_000 { try make("dir\(number)") }
        var tree = try tree()
        let told = try self.told(&tree) {
            try make("old")
            for number in 0..<2_000 { try move("dir\(number)", "old/dir\(number)") }
        }
        #expect(told.count == 2_001 && told.count { $0.hasPrefix("moved") } == 2_000)
    }

    @Test("At its limit a directory that moves is the same directory")
    func movedAtLimit() throws {
        try make("a")
        try make("a/b")
        for number in 0..<8 { try write("a/b/doc\(number)", "1") }
        let root = try Posix.open(path: folder.path, flags: O_RDONLY | O_DIRECTORY)
        var tree = try LocalWatchTree(
            root: root, hidden: Name(".docfs"), inotify: inotify, capacity: 10)
        tree.begin { true }
        #expect(try told(&tree) { try move("a", "c") } == ["moved c from a"])
        #expect(try told(&tree) { try write("c/b/doc1", "22") } == ["edited c/b/doc1"])
    }

    @Test("What moves out of a directory that goes moves, and is watched where it is")
    func flattened() throws {
        try make("dir")
        try make("dir/sub")
        try write("dir/sub/x", "1")
        try write("dir/f", "1")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try move("dir/sub", "sub")
                try move("dir/f", "f")
                try remove("dir")
            } == ["moved f from dir/f", "moved sub from dir/sub", "deleted dir"])
        #expect(try told(&tree) { try write("sub/x", "22") } == ["edited sub/x"])
    }

    @Test("What moves and is edited is told as both, and directories in a row one after the other")
    func rotated() throws {
        for (name, text) in [("new", "1"), ("old", "22"), ("older", "333")] {
            try make(name)
            try write(name + "/" + text, text)
        }
        try write("doc", "1")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try remove("older/333")
                try remove("older")
                try move("old", "older")
                try move("new", "old")
                try move("doc", "letter")
                try write("letter", "22")
            } == [
                "deleted older/333", "deleted older", "moved letter from doc",
                "moved older from old", "moved old from new", "edited letter",
            ])
    }

    @Test("A file that becomes a directory, and the reverse, is another one")
    func kinds() throws {
        try write("x", "1")
        try make("d")
        try write("d/y", "1")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try remove("x")
                try make("x")
                try write("x/z", "1")
                try remove("d/y")
                try remove("d")
                try write("d", "1")
            } == ["deleted d/y", "deleted d", "deleted x", "made d", "made x", "made x/z"])
        #expect(try told(&tree) { try write("x/z", "22") } == ["edited x/z"])
    }

    @Test("Of more entries than may be known some are known, and the rest is not told")
    func capacity() throws {
        for number in 0..<20 { try write("doc\(number)", "1") }
        let root = try Posix.open(path: folder.path, flags: O_RDONLY | O_DIRECTORY)
        var tree = try LocalWatchTree(
            root: root, hidden: Name(".docfs"), inotify: inotify, capacity: 10)
        tree.begin { true }
        #expect(tree.trouble != nil)
        let told = try self.told(&tree) {
            for number in 0..<20 { try write("doc\(number)", "22") }
        }
        #expect(told.count == 10 && told.allSatisfy { $0.hasPrefix("edited") })
    }

    @Test("Modes and attributes are edits, and names of a directory or another link are none")
    func descriptions() throws {
        try make("dir")
        try write("dir/doc", "1")
        var tree = try tree()
        let path = folder.path + "/dir/doc"
        #expect(try told(&tree) { try Posix.check { chmod(path, 0o600) } } == ["edited dir/doc"])
        #expect(
            try told(&tree) {
                let file = try Posix.open(path: path, flags: O_RDONLY)
                let before = try Posix.status(of: file.number).changed
                var colour: UInt8 = 0
                // The disk's clock may stand still for some milliseconds.
                while try Posix.status(of: file.number).changed == before {
                    colour &+= 1
                    try Posix.setAttribute("user.colour", [colour], of: file.number)
                }
            } == ["edited dir/doc"])
        #expect(
            try told(&tree) { try Posix.check { link(path, folder.path + "/dir/name") } }
                == ["made dir/name"])
        #expect(
            try told(&tree) { try Posix.check { chmod(folder.path + "/dir", 0o700) } }
                == ["edited dir"])
    }

    @Test("The hidden folder at the top is nobody's")
    func hiddenFolder() throws {
        try make(".docfs")
        try make("dir")
        var tree = try tree()
        #expect(
            try told(&tree) {
                try write(".docfs/file", "1")
                try make("dir/.docfs")
            } == ["made dir/.docfs"])
    }
}
