/// The rules of the house, as functions from files to objections.
struct Layout {
    /// A rule that a place breaks: what, why, and what to do.
    struct Objection: CustomStringConvertible {
        let place: String
        let what: String
        let why: String
        let advice: String

        var description: String { "\(place): \(what). Why: \(why). Do: \(advice)." }
    }

    let rooms: [Room]
    let files: [SwiftFile]

    /// Which room declares a top-level type, and by which keyword.
    private let owners: [String: (folder: String, keyword: String)]

    init(rooms: [Room], files: [SwiftFile]) {
        self.rooms = rooms
        self.files = files
        var owners: [String: (folder: String, keyword: String)] = [:]
        for file in files {
            guard let room = Self.room(of: file, in: rooms) else { continue }
            for type in file.topLevel where type.isVisible {
                owners[type.name] = (room.folder, type.keyword)
            }
        }
        self.owners = owners
    }

    private static func room(of file: SwiftFile, in rooms: [Room]) -> Room? {
        rooms.filter { file.path.hasPrefix($0.folder + "/") }
            .max { $0.folder.utf8.count < $1.folder.utf8.count }
    }

    private func eachFile(_ body: (SwiftFile, Room) -> [Objection]) -> [Objection] {
        files.flatMap { file in Self.room(of: file, in: rooms).map { body(file, $0) } ?? [] }
    }

    /// Files that lie in no room.
    func homeless() -> [Objection] {
        files.filter { Self.room(of: $0, in: rooms) == nil }.map {
            Objection(
                place: $0.path, what: "lies in no room",
                why: "a folder without a row has no walls",
                advice: "move it into a room, or give its folder a row in Rooms.swift")
        }
    }

    /// Types of other rooms that a room names outside its row.
    func walls() -> [Objection] {
        eachFile { file, room in
            references(of: file, in: room).compactMap { reference in
                let isSeen = room.views.contains {
                    $0.folder == reference.folder
                        && $0.shows(reference.name, declaredBy: reference.keyword)
                }
                if isSeen { return nil }
                let seen = room.views.map(\.folder).joined(separator: ", ")
                return Objection(
                    place: "\(file.path):\(reference.line)",
                    what: "\(room.folder) (\(room.purpose)) names \(reference.name)"
                        + " of \(reference.folder)",
                    why: "calls go down only, and \(room.folder) sees \(seen)",
                    advice: "declare a protocol here that \(reference.folder) provides, or move"
                        + " the code to the room that may")
            }
        }
    }

    /// References across walls: the first of each name in a file.
    private func references(of file: SwiftFile, in room: Room)
        -> [(name: String, folder: String, keyword: String, line: Int)]
    {
        var seen: Set<String> = []
        return file.references.compactMap { token in
            guard let owner = owners[token.text], owner.folder != room.folder,
                seen.insert(token.text).inserted
            else { return nil }
            return (token.text, owner.folder, owner.keyword, token.line)
        }
    }

    /// Modules that a room imports outside its row.
    func imports() -> [Objection] {
        eachFile { file, room in
            file.imports.filter { module, _ in
                !room.imports.contains(module)
            }.map { module, line in
                let allowed = room.imports.isEmpty ? "nothing" : "\(room.imports.sorted())"
                return Objection(
                    place: "\(file.path):\(line)", what: "\(room.folder) imports \(module)",
                    why: "\(room.folder) (\(room.purpose)) imports \(allowed)",
                    advice: "ask a room that owns \(module) to do this")
            }
        }
    }

    /// Words that a room must do without, errno and CFuse's among them.
    func words() -> [Objection] {
        eachFile { file, room in
            file.tokens.compactMap { token in
                let place = "\(file.path):\(token.line)"
                if let why = room.bannedWords[token.text] {
                    return Objection(
                        place: place, what: "\(room.folder) says \(token.text)", why: why,
                        advice: "have the value passed in")
                }
                if !room.mayCallC, Self.isDeclaredInC(token.text) {
                    return Objection(
                        place: place, what: "\(room.folder) says \(token.text)",
                        why: "libfuse is FUSE's, raw system calls are Posix's",
                        advice: "give Posix a call or a constant with a typed error")
                }
                guard !room.mayNameErrno, Errno.words.contains(token.text) else { return nil }
                return Objection(
                    place: place, what: "\(room.folder) says \(token.text)",
                    why: "errno is the kernel's language; FUSE has the one table, Posix reads it",
                    advice: "throw or match a DocFSError")
            }
        }
    }

    private static func isDeclaredInC(_ word: String) -> Bool {
        ["docfs_", "fuse_", "FUSE_", "FOPEN_"].contains { word.hasPrefix($0) }
    }

    /// Files with more than one type, or not named for it.
    func oneTypeOneFile() -> [Objection] {
        eachFile { file, _ in
            let name = file.path.split(separator: "/").last?.split(separator: ".").first ?? ""
            let stem = name.split(separator: "+").first.map(String.init) ?? ""
            let names = file.topLevel.filter { $0.isVisible && !$0.isPhantom }.map(\.name)
            guard names.count > 1 || (names.count == 1 && names[0] != stem) else { return [] }
            return [
                Objection(
                    place: file.path,
                    what: "declares " + names.joined(separator: ", "),
                    why: "one type per file, the file named for it, finds a type without a search",
                    advice: "one file for each type, or nest it in the one that it belongs to")
            ]
        }
    }

    /// Types that nobody explained.
    func undocumented() -> [Objection] {
        eachFile { file, _ in
            file.topLevel.filter { $0.isVisible && !$0.isDocumented }.map {
                Objection(
                    place: "\(file.path):\($0.line)", what: "\($0.name) has no doc comment",
                    why: "a type says what it is, its invariants, units and isolation",
                    advice: "write one summary line, a blank one, then what a caller must know")
            }
        }
    }

    /// Type names with a word that the glossary has another one for.
    func synonyms() -> [Objection] {
        eachFile { file, room in
            // A private type's name is read with its one file around it.
            let types = file.topLevel + file.nestedTypes.values.filter(\.isVisible)
            return types.sorted { $0.line < $1.line }.compactMap { type in
                guard let objection = Synonyms.objection(to: type.name, in: room.folder) else {
                    return nil
                }
                return Objection(
                    place: "\(file.path):\(type.line)",
                    what: "type name \(type.name): \(objection)",
                    why: "one word for one thing", advice: "rename the type")
            }
        }
    }

    /// Files and functions that have outgrown one subject.
    func sizes(functionLimit: Int = 60) -> [Objection] {
        eachFile { file, room in
            let long = file.functions.filter { $0.lineCount > functionLimit }.map {
                Objection(
                    place: "\(file.path):\($0.line)",
                    what: "\($0.name) has \($0.lineCount) lines, more than \(functionLimit)",
                    why: "a function fits a screen", advice: "give its parts names")
            }
            let count = file.lines.count - 1
            guard count > room.fileLimit else { return long }
            return long + [
                Objection(
                    place: file.path, what: "has \(count) lines, more than \(room.fileLimit)",
                    why: "a file that long has two subjects", advice: "split it by subject")
            ]
        }
    }
}

extension Layout {
    /// How many types of each room (column) each room (row) names, by file.
    func matrix() -> [String: [String: Int]] {
        var counts: [String: [String: Int]] = [:]
        for file in files {
            guard let room = Self.room(of: file, in: rooms) else { continue }
            for reference in references(of: file, in: room) {
                counts[room.folder, default: [:]][reference.folder, default: 0] += 1
            }
        }
        return counts
    }

    /// The matrix and the lines of each room, for people.
    func report() -> String {
        let counts = matrix()
        let width = rooms.map(\.folder.count).max() ?? 0
        func cell(_ text: String) -> String {
            String(repeating: " ", count: max(1, 5 - text.count)) + text
        }
        func padded(_ text: String) -> String {
            text + String(repeating: " ", count: width - text.count)
        }
        var lines = ["Row names types of column (files × distinct types):"]
        lines.append(padded("") + rooms.indices.map { cell("\($0 + 1)") }.joined() + "  lines")
        for (index, room) in rooms.enumerated() {
            let row = rooms.map { other in
                cell(counts[room.folder]?[other.folder].map(String.init) ?? ".")
            }
            let inside = files.filter { Self.room(of: $0, in: rooms)?.folder == room.folder }
            let count = inside.map { $0.lines.count - 1 }.reduce(0, +)
            lines.append(padded(room.folder) + row.joined() + cell("\(count)") + "  (\(index + 1))")
        }
        return lines.joined(separator: "\n")
    }
}
