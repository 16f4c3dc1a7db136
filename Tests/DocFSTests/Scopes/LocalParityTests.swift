import Glibc
import TestSupport
import Testing

@testable import DocFS

/// S2, S31: what is done through the scope has the outcome that it has on the bare directory.
@Suite struct LocalParityTests {
    private static let long = String(repeating: "n", count: 255)
    private static let tooLong = String(repeating: "n", count: 256)

    static let stories: [[LocalStep]] = [
        // Making, each twice
        [
            .makeDirectory("d"), .makeDirectory("d"), .makeDirectory("d/e", mode: 0o700),
            .makeDirectory("absent/e"), .status("d"), .status("d/e"), .list(""), .list("d"),
        ],
        [
            .create("f", text: "one"), .create("f", flags: O_EXCL), .status("f"), .read("f"),
            .create("f", text: "x"), .read("f"), .create("f", text: "y", flags: O_TRUNC),
            .read("f"), .makeDirectory("f/d"), .create("f/g"), .append("f", "zz"), .read("f"),
        ],
        [
            .makeNode("p", mode: S_IFIFO | 0o600), .makeNode("s", mode: S_IFSOCK | 0o640),
            .makeNode("r", mode: S_IFREG | 0o4711), .makeNode("p", mode: S_IFIFO | 0o600),
            .status("p"), .status("s"), .status("r"), .list(""), .unlink("p"), .status("p"),
        ],
        // Links
        [
            .symlink("l", to: "nowhere"), .readLink("l"), .status("l"), .read("l"),
            .symlink("l", to: "again"), .create("f"), .readLink("f"), .setMode("l", 0o600),
            .setTime("l", Timestamp(seconds: 7, nanoseconds: 9)), .status("l"),
            .symlink("t", to: String(repeating: "a/", count: 2000)), .readLink("t"),
            .symlink("e", to: ""),
        ],
        [
            .create("a", text: "both"), .link("a", as: "b"), .status("a"), .status("b"),
            .append("b", "!"), .read("a"), .link("a", as: "b"), .rename("a", to: "b"),
            .list(""), .unlink("a"), .status("b"), .read("b"), .makeDirectory("d"),
            .link("d", as: "e"), .link("absent", as: "e"), .link("b", as: "d/c"),
            .unlink("b"), .read("d/c"), .status("d/c"), .symlink("s", to: "d"),
            .link("s", as: "s2"), .readLink("s2"),
        ],
        // Removing
        [
            .makeDirectory("d"), .create("d/f"), .removeDirectory("d"), .unlink("d"),
            .removeDirectory("d/f"), .unlink("d/f"), .removeDirectory("d"), .removeDirectory("d"),
            .unlink("absent"), .status("d"), .list("d"),
        ],
        // Renaming
        [
            .create("a", text: "1"), .create("b", text: "2"), .rename("a", to: "b", .noReplace),
            .rename("a", to: "b", .exchange), .read("a"), .read("b"), .rename("a", to: "b"),
            .read("b"), .read("a"), .rename("a", to: "c"), .rename("b", to: "b"),
            .rename("b", to: "c", .noReplace), .read("c"), .rename("c", to: "x", .exchange),
        ],
        [
            .makeDirectory("d"), .makeDirectory("d/e"), .create("d/e/f", text: "deep"),
            .rename("d", to: "d/e/g"), .rename("d/e", to: "d"), .makeDirectory("h"),
            .rename("d", to: "h/d"), .read("h/d/e/f"), .status("d"), .rename("h/d/e", to: "e"),
            .read("e/f"), .create("file"), .rename("e", to: "file"), .rename("file", to: "e"),
            .rename("h", to: "e"), .rename("e", to: "h/d"), .list("h/d"), .read("h/d/f"),
            .rename("h/d", to: "file", .exchange), .read("file/f"), .status("h/d"),
        ],
        // Attributes
        [
            .create("f", text: "0123456789"), .setMode("f", 0o4755), .status("f"),
            .truncate("f", 4), .status("f"), .read("f"), .truncate("f", 8), .read("f"),
            .setTime("f", Timestamp(seconds: 1_000_000_000, nanoseconds: 123_456_789)),
            .setTime("f", Timestamp(seconds: -5, nanoseconds: 1)), .status("f"),
            .makeDirectory("d"), .truncate("d", 0), .setMode("d", 0o1777), .status("d"),
            .setTime("d", Timestamp(seconds: 1, nanoseconds: 999_999_999)), .status("d"),
            .truncate("f", 1 << 62), .setMode("absent", 0o600),
        ],
        // Extended attributes
        [
            .create("f"), .setAttribute("f", "user.one", "1"), .attribute("f", "user.one"),
            .attribute("f", "user.two"), .setAttribute("f", "user.one", "x", flags: 1),
            .setAttribute("f", "user.two", "x", flags: 2), .setAttribute("f", "user.two", ""),
            .attributeList("f"), .attribute("f", "user.two"), .removeAttribute("f", "user.one"),
            .removeAttribute("f", "user.one"), .attributeList("f"), .makeDirectory("d"),
            .setAttribute("d", "user.d", "dir"), .attribute("d", "user.d"), .symlink("l", to: "f"),
            .setAttribute("l", "user.l", "link"), .attribute("l", "user.one"),
            .attributeList("l"), .setAttribute("f", "nonsense", "1"), .attribute("f", "no.such"),
            .setAttribute("f", "user.big", String(repeating: "v", count: 3000)),
            .attribute("f", "user.big"),
            .setAttribute("f", "user." + String(repeating: "k", count: 260), "1"),
        ],
        // Names
        [
            .create(long), .status(long), .create(tooLong), .status(tooLong),
            .makeDirectory(tooLong), .rename(long, to: tooLong), .unlink(tooLong),
            .create("new\nline"), .create("Ångström"), .create("A\u{30A}ngstro\u{308}m"), .list(""),
        ],
        // Set-group-id directories
        [
            .makeDirectory("d"), .setMode("d", 0o2775), .makeDirectory("d/e"), .status("d/e"),
            .create("d/f", mode: 0o664), .status("d/f"),
        ],
    ]

    @Test("Every call has the outcome that it has on the bare directory", arguments: stories)
    func story(_ steps: [LocalStep]) throws {
        let fixture = try LocalFixture()
        let other = try LocalFixture()
        let shown = ShownActor(fixture)
        let bare = BareActor(directory: other.path)
        for step in steps {
            #expect(shown.outcome(step) == bare.outcome(step), "\(step)")
        }
        try expectEqualTrees(fixture, other)
    }

    @Test(
        "A thousand random calls leave equal trees",
        arguments: [0, 1, 2, 3, 4, 5, 6, 7] as [UInt64])
    func random(_ seed: UInt64) throws {
        let fixture = try LocalFixture(descriptors: seed % 2 == 0 ? 1 : 256)
        let other = try LocalFixture()
        let shown = ShownActor(fixture)
        let bare = BareActor(directory: other.path)
        var steps = LocalStepGenerator(seed: seed)
        for count in 0..<1000 {
            let step = steps.next()
            let expected = bare.outcome(step)
            let outcome = shown.outcome(step)
            #expect(outcome == expected, "seed \(seed), step \(count): \(step)")
            if outcome != expected { return }
        }
        try expectEqualTrees(fixture, other)
    }

    /// The two directories, read without the scope, have the same names, modes and bytes.
    private func expectEqualTrees(_ one: LocalFixture, _ other: LocalFixture) throws {
        func walk(_ path: String) throws {
            let left = BareActor(directory: one.path)
            let right = BareActor(directory: other.path)
            for step in [LocalStep.status(path), .list(path), .read(path), .readLink(path)] {
                // A FIFO has no reader.
                if case .read = step, try one.bare(path).mode & S_IFMT == S_IFIFO { continue }
                #expect(left.outcome(step) == right.outcome(step), "\(step)")
            }
            guard try path.isEmpty || one.bare(path).isDirectory else { return }
            for name in try DirectoryStream.names(
                at: one.directory.number, Array((path.isEmpty ? "." : path).utf8))
            {
                try walk(path.isEmpty ? name.description : path + "/" + name.description)
            }
        }
        try walk("")
    }
}
