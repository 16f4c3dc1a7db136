import TestSupport
import Testing

@testable import DocFS

@Suite struct ConfigurationFileTests {
    @Test func everyOptionHasAKey() throws {
        let settings = try ConfigurationFile.settings(
            text: """
                # all of them
                local = "/l"
                state = "/s"
                device = "desk"
                settle = 0.5
                poll = 3
                deadline = 12.25
                farewell = 0.5
                cache-limit = "20G"
                refresh = "pinned"
                daemon = false
                allow-other = true
                read-only = true
                log-level = "debug"
                log-file = "/log"
                scratch = ["*.bak", "!keep.bak"]
                never-fetch = ["indexer", "thumb-*"]

                [cloud]
                Work = "file:///srv/w"
                Home = "file:///srv/h"

                [retention]
                days = 0.5
                versions = 3
                """, path: "c")
        #expect(settings.local == "/l" && settings.state == "/s" && settings.device == "desk")
        #expect(settings.settle == .milliseconds(500) && settings.poll == .seconds(3))
        #expect(settings.farewell == .milliseconds(500))
        #expect(settings.deadline == .milliseconds(12250) && settings.cacheLimit == 20 << 30)
        #expect(settings.fetchFirst == .pinned)
        #expect(settings.isDaemon == false && settings.allowsOthers == true)
        #expect(settings.isReadOnly == true)
        #expect(settings.logLevel.map { "\($0)" } == "debug")
        #expect(settings.logFile == "/log")
        #expect(settings.scratchRules == ["*.bak", "!keep.bak"])
        #expect(settings.indexers == ["indexer", "thumb-*"])
        #expect(settings.retention == .seconds(43_200) && settings.keptVersions == 3)
        #expect(
            settings.containers.map(Set.init) == [
                ContainerAddress(name: "Home", folder: "/srv/h"),
                ContainerAddress(name: "Work", folder: "/srv/w"),
            ])
    }

    @Test func anEmptyFileSaysNothing() throws {
        let settings = try ConfigurationFile.settings(text: "", path: "c")
        #expect(settings.local == nil && settings.containers == nil)
    }

    @Test(arguments: [
        ("settle = 1\nbogus = 2\n", "c:2: unknown key 'bogus'"),
        ("\n\n[bogus]\nx = 1\n", "c:3: unknown key 'bogus'"),
        (
            "poll = 1\n  settle = \"soon\"",
            "c:2: settle: 'soon' is not a number of seconds, such as 0.5"
        ),
        (
            "[cloud]\nLocal = \"file:///x\"",
            "c:1: 'Local' is a name of the mount itself and cannot be the name of a container"
        ),
        ("[cloud]\nWork = 5", "c:1: cloud.Work is not a text with an address"),
        ("cloud = \"file:///x\"", "c:1: cloud is a table of NAME = \"URL\""),
        ("\nscratch = \"*.o\"", "c:2: scratch is a list of patterns"),
        (
            "scratch = [\"build/\"]",
            "c:1: scratch: 'build/' is not a pattern of names, such as *.bak"
        ),
        ("never-fetch = \"x\"", "c:1: never-fetch is a list of programs"),
        ("refresh = true", "c:1: refresh: 'true' is none of here, pinned, never"),
        ("retention = 30", "c:1: retention is a table with days and versions"),
        ("[retention]\nweeks = 1", "c:1: unknown key 'retention.weeks'"),
        ("[retention]\ndays = 0", "c:1: retention.days: '0' is not a number of days, such as 30"),
        (
            "[retention]\nversions = -1",
            "c:1: retention.versions: '-1' is not a number, such as 10"
        ),
        ("types = 1", "c:1: types is a table of document types, as [types.note]"),
        ("[types]\nnote = 1", "c:1: types.note is not a table"),
        ("[types.note]\nnme = \"x\"", "c:1: unknown key 'types.note.nme'"),
        (
            "[types.note]\nname = \"a/b\"",
            "c:1: types.note.name: 'a/b' cannot stand in a file's name"
        ),
        (
            "[types.note]\nnaming = \"odd\"",
            "c:1: types.note.naming: 'odd' is none of sequential, timestamp, uuid"
        ),
        (
            "[types.note]\nconflicts = \"mine\"",
            "c:1: types.note.conflicts: 'mine' is none of ask, newest, merge"
        ),
        ("settle = 2026-01-01", "c:1: settle is neither a text, a number, true nor false"),
        ("allow-other = \"yes\"", "c:1: allow-other: 'yes' is neither true nor false"),
        (
            "\"log-level\" = \"loud\"",
            "c:1: log-level: 'loud' is none of trace, debug, info, notice, warning, error, critical"
        ),
    ])
    func whatIsWrongIsNamedWithItsLine(text: String, message: String) {
        #expect(throws: ConfigurationError(message)) {
            try ConfigurationFile.settings(text: text, path: "c")
        }
    }

    /// S27.
    @Test func documentTypesAreReadByTheirKeys() throws {
        let text = """
            [types.sheet]
            extension = "csv"
            naming = "timestamp"
            [types.note]
            extension = "md"
            name = "Note"
            conflicts = "merge"
            mime = "Text/Markdown"
            """
        #expect(
            try ConfigurationFile.settings(text: text, path: "c").types == [
                DocumentType(
                    key: "note", ending: "md", name: "Note", naming: .sequential,
                    conflicts: .merge, mime: "text/markdown"),
                DocumentType(key: "sheet", ending: "csv", name: nil, naming: .timestamp),
            ])
    }

    @Test(arguments: ["", "text", "text/", "/markdown", "text/a/b", "text/a b", "text/plain; x=y"])
    func noMediaTypeIsRefused(_ text: String) {
        #expect(
            throws: ConfigurationError(
                "c:1: types.note.mime: '\(text)' is no media type, such as text/markdown")
        ) {
            try ConfigurationFile.settings(text: "[types.note]\nmime = \"\(text)\"\n", path: "c")
        }
    }

    @Test func aSyntaxErrorHasItsLine() {
        do {
            _ = try ConfigurationFile.settings(text: "settle = 1\n\npoll = = 2\n", path: "c")
            Issue.record("it was read")
        } catch {
            #expect(error.description.hasPrefix("c:3: "))
        }
    }

    @Test func aFileThatIsMissingSaysNothingAndADirectoryIsRefused() throws {
        let settings = try ConfigurationFile.settings(atPath: "/nonexistent/config.toml")
        if case .some = settings { Issue.record("there is something") }
        #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.settings(atPath: "/proc")
        }
    }
}
