internal import Foundation
internal import Testing

@testable import DocFS

/// The one table of events (S29), against the documentation, the help, and the code that posts.
struct EventTableTests {
    private typealias Kind = DocumentEvent.Kind

    @Test("S29: the page Events has every event, with its member and its meaning, and no other")
    func page() throws {
        let rows = try Repository.text(of: "Sources/DocFS/Documentation.docc/Events.md")
            .split(separator: "\n").filter { $0.hasPrefix("| `") }.map(String.init)
        let expected = Kind.allCases.map { kind in
            "| `\(kind.rawValue)` | \(kind.meaning) | \(kind.member.map { "`\($0)`" } ?? "") |"
        }
        let events = rows.filter { $0.split(separator: "|").count >= 3 && $0.contains(" | ") }
        for row in expected { #expect(events.contains(row), "is missing: \(row)") }
        let named = events.filter { row in
            Kind.allCases.contains { row.hasPrefix("| `\($0.rawValue)` |") }
        }
        #expect(named.count == expected.count)
    }

    @Test("S29: the day on the page Events is the one that a story lives through")
    func day() throws {
        let story = try Repository.text(of: "Tests/Stories/events.story")
        let parts = try Repository.text(of: "Sources/DocFS/Documentation.docc/Events.md")
            .components(separatedBy: "```\n")
        let diaries = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
        #expect(diaries.count == 2)
        for diary in diaries { #expect(story.contains("'\(diary.dropLast())'\n")) }
    }

    @Test("S29: docfs watch --help names every event, in the order of the table")
    func help() throws {
        let help = try Repository.text(of: "Sources/docfs/Verbs/WatchVerb.swift")
            .replacing("\\\n", with: "").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        #expect(help.contains("what (\(names)), path"))
    }

    @Test("S29: every event is posted, by the rooms that the table names and by no other")
    func posters() throws {
        let files = try Repository.files(below: "Sources/DocFS").filter {
            $0.path.hasSuffix(".swift") && !$0.path.contains("DocumentEvent")
        }
        for kind in Kind.allCases {
            let word = "\\.\(kind)\\b"
            let post = try Regex(
                "(kind: [^,\\n]*\(word)|(post|event)\\([^,\\n]*\(word))")
            let rooms = Set(
                files.filter { $0.source.contains(post) && !$0.path.hasSuffix("LocalBatch.swift") }
                    .compactMap {
                        $0.path.split(separator: "/").dropFirst(2).first.map(String.init)
                    }
            )
            #expect(rooms == kind.rooms, "\(kind)")
        }
    }
}
