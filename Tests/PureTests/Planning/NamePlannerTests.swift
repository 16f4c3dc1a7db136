internal import Testing

@testable import DocFS

/// The page about planning says what ``NamePlanner`` does: its table is read and held against it.
struct NamePlannerTests {
    /// A row of the table, with what is about it.
    private struct Row {
        let words: [String]
        let local: [LocalView?]
        var base: ItemState?
        var remote: ItemState?
        let takers: [ItemState]

        init(
            _ here: String, _ taker: String, _ becomes: String, _ local: [LocalView?],
            base: ItemState? = nil, remote: ItemState? = nil, _ takers: [ItemState]
        ) {
            words = [here, taker, becomes]
            self.local = local
            self.base = base
            self.remote = remote
            self.takers = takers
        }
    }

    private typealias Facts = DecisionRow

    private static func new(
        _ kind: ItemKind, _ content: Int = 2, isHashed: Bool = true, isExcluded: Bool = false
    ) -> LocalView {
        Facts.here(kind) {
            $0.basis = nil
            if kind != .directory { $0.bytes = Facts.edit(content, isHashed: isHashed) }
            if kind == .symlink { $0.target = PerturbedTree.target(of: content) }
            $0.isExcluded = isExcluded
        }
    }

    private static func moved(_ kind: ItemKind) -> LocalView {
        Facts.here(kind) { $0.name = Name("moved") }
    }

    private static func holding(scratch: Bool) -> LocalView {
        Facts.here(.directory) { ($0.hasChildren, $0.holdsOnlyScratch) = (true, scratch) }
    }

    private static let directory = Facts.there(.directory)
    private static let all = [Facts.stored(2), Facts.linked(2), directory]
    private static let (file, base) = (Facts.here(), Facts.base())

    private static let rows = [
        Row("a pipe, a socket, a device", "anything", "onlyHere", [nil], all),
        Row(
            "never in the container, a directory", "a directory", "merge", [new(.directory)],
            [directory]),
        Row(
            "never in the container, a link", "a link to the same", "merge", [new(.symlink)],
            [Facts.linked(2)]),
        Row(
            "never in the container, a document", "a document of equal bytes", "merge",
            [new(.file)], [Facts.stored(2)]),
        Row(
            "never in the container, a document", "a document of its size, a digest unknown",
            "hash", [new(.file, isHashed: false)],
            [Facts.stored(2), Facts.stored(2, isHashed: false)]),
        Row(
            "never in the container, a document or link", "anything else", "version",
            [new(.file), new(.symlink)], [Facts.stored(3), Facts.linked(3), directory]),
        Row(
            "never in the container, a directory", "a document or link", "itself",
            [new(.directory)], [Facts.stored(2), Facts.linked(2)]),
        Row(
            "scratch", "anything else than a directory or link like it", "onlyHere",
            [new(.file, isExcluded: true)], all),
        Row(
            "never in the container, a document whose bytes are nowhere any more", "anything",
            "hide", [Facts.here { $0.becomeHollow() }], all),
        Row(
            "in the container, moved here by a user", "anything", "itself", [moved(.file)],
            base: base, remote: base, all),
        Row("in the container", "anything", "park", [file], base: base, remote: base, all),
        Row("deleted elsewhere", "anything", "park", [file], base: base, all),
        Row(
            "deleted elsewhere, a directory", "a directory", "merge",
            [Facts.here(.directory), holding(scratch: false), holding(scratch: true)],
            base: Facts.base(.directory), [directory]),
        Row(
            "deleted elsewhere, a directory with nothing but scratch in it", "a document or link",
            "onlyHere", [holding(scratch: true)], base: Facts.base(.directory),
            [Facts.stored(2), Facts.linked(2)]),
        Row(
            "deleted elsewhere, edited", "anything", "itself", [Facts.edited(2)], base: base, all),
    ]

    @Test("The page has the rows of the test, in their order")
    func page() throws {
        let page = try PlanningPage().rooms.map { Array($0[..<3]) }
        #expect(page == Self.rows.map(\.words))
    }

    @Test("Each row's situations become what the row says")
    func rooms() {
        for row in Self.rows {
            for local in row.local {
                for taker in row.takers {
                    let room = NamePlanner.room(
                        local: local, base: row.base, remote: row.remote, isHere: false,
                        for: taker)
                    #expect(Self.word(room) == row.words[2], "\(row.words): \(taker.content)")
                }
            }
        }
    }

    private static func word(_ room: NamePlanner.Room) -> String {
        switch room {
        case .merge: "merge"
        case .park: "park"
        case .hash: "hash"
        case .hide: "hide"
        case .setAside(.version): "version"
        case .setAside(.itself): "itself"
        case .setAside(.onlyHere): "onlyHere"
        }
    }
}
