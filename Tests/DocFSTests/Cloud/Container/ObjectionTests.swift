import Testing

@testable import DocFS

/// Changes that are void at their place in the log, for everyone who reads it.
struct ObjectionTests {
    /// A tree of directories.
    private struct Directories: TreeView {
        var states: [ItemID: ItemState] = [:]
        let walks = DirectoryWalks()

        func state(of item: ItemID) -> ItemState? { states[item] }
        func hasChildren(_ item: ItemID, beside others: Set<ItemID>) -> Bool {
            states.contains { $0.value.parent == item && !others.contains($0.key) }
        }
        func parent(of item: ItemID) -> ItemID? { states[item]?.parent }
        func directories(in item: ItemID) -> [ItemID] {
            states.filter { $0.value.parent == item && $0.value.kind == .directory }.map(\.key)
        }
        func child(_ name: Name, of parent: ItemID) -> ItemID? {
            states.first { $0.value.parent == parent && $0.value.name == name }?.key
        }
    }

    private let a = ItemID(high: 0, low: 1)
    private let b = ItemID(high: 0, low: 2)
    private let c = ItemID(high: 0, low: 3)

    private func directory(_ name: Name, in parent: ItemID) -> ItemState {
        ItemState(
            parent: parent, name: name, metadata: Metadata(mode: 0o755, modified: .zero),
            content: .directory)
    }

    // S25
    @Test(
        "A directory that would hold itself stays where it is, however deep"
    )
    func circles() throws {
        var tree = Directories()
        tree.states[a] = directory("a", in: .root)
        tree.states[b] = directory("b", in: a)
        tree.states[c] = directory("c", in: b)
        for parent in [a, b, c] {
            let change = Change(
                operation: OperationID(high: 0, low: 1), item: a,
                before: Place(of: tree.states[a]!), after: directory("a", in: parent))
            #expect(try change.objection(in: tree) != nil)
        }
        let harmless = Change(
            operation: OperationID(high: 0, low: 1), item: c, before: Place(of: tree.states[c]!),
            after: directory("c", in: a))
        #expect(try harmless.objection(in: tree) == nil)
    }

    // S35
    @Test("A directory with documents in it becomes no link, and a document no directory")
    func kinds() throws {
        var tree = Directories()
        tree.states[a] = directory("a", in: .root)
        var link = directory("a", in: .root)
        link.content = .symlink(target: [0x78], revision: Revision("r"))
        let operation = OperationID(high: 0, low: 1)
        let become = Change(
            operation: operation, item: a, before: Place(of: tree.states[a]!), after: link)
        #expect(try become.objection(in: tree) != nil)
        tree.states[a] = link
        let again = Change(
            operation: operation, item: a, before: Place(of: link),
            after: directory("a", in: .root))
        #expect(try again.objection(in: tree) != nil)
    }

    /// Directories in each other, the uppermost in the root.
    private func chain(_ count: Int, from first: UInt64) -> (Directories, [ItemID]) {
        var tree = Directories()
        var items: [ItemID] = []
        for number in 0..<UInt64(count) {
            let item = ItemID(high: 1, low: first + number)
            tree.states[item] = directory(Name("\(first + number)"), in: items.last ?? .root)
            items.append(item)
        }
        return (tree, items)
    }

    // S35
    @Test("Nothing comes to lie deeper than a container goes, alone or with what is above it")
    func depth() throws {
        let most = ItemPath.maximumDepth
        var (tree, items) = chain(most - 1, from: 0)
        let operation = OperationID(high: 0, low: 1)
        let document = ItemState(
            parent: items[most - 2], name: "doc", metadata: Metadata(mode: 0o644, modified: .zero),
            content: .file(Body(size: 1, digest: nil, revision: Revision("r"))))
        let deepest = Change(operation: operation, item: a, before: nil, after: document)
        #expect(try deepest.objection(in: tree) == nil)
        let tooDeep = Change(
            operation: operation, item: a, before: nil,
            after: directory("a", in: items[most - 2]))
        #expect(try tooDeep.objection(in: tree) != nil)

        tree.states[a] = directory("a", in: .root)
        tree.states[b] = directory("b", in: a)
        func moved(to parent: ItemID) -> Change {
            Change(
                operation: operation, item: a, before: Place(of: tree.states[a]!),
                after: directory("a", in: parent))
        }
        #expect(try moved(to: items[most - 4]).objection(in: tree) == nil)
        #expect(try moved(to: items[most - 3]).objection(in: tree) != nil)
    }

    // S35
    @Test("A tree that holds itself, as none can come about, ends every walk")
    func walksEnd() throws {
        var tree = Directories()
        tree.states[a] = directory("a", in: b)
        tree.states[b] = directory("b", in: a)
        tree.states[c] = directory("c", in: .root)
        let change = Change(
            operation: OperationID(high: 0, low: 1), item: c, before: Place(of: tree.states[c]!),
            after: directory("c", in: a))
        #expect(try change.objection(in: tree) != nil)
    }

    // S35
    @Test("One record does not have a directory looked through for each of its moves")
    func walksOfOneRecord() throws {
        var (tree, items) = chain(20, from: 0)
        tree.states[a] = directory("a", in: .root)
        tree.states[b] = directory("b", in: a)
        var voided = 0
        for round in 0..<100 {
            // Deeper each second time.
            let parent = round % 2 == 0 ? items[9] : .root
            let change = Change(
                operation: OperationID(high: 0, low: 1), item: a,
                before: Place(of: tree.states[a]!), after: directory("a", in: parent))
            if try change.objection(in: tree) == nil {
                tree.states[a] = change.after
            } else {
                voided += 1
            }
        }
        #expect(voided == 50 - DirectoryWalks.most)
        // The next record has its own count.
        var next = Directories()
        next.states = tree.states
        let change = Change(
            operation: OperationID(high: 0, low: 1), item: a, before: Place(of: tree.states[a]!),
            after: directory("a", in: items[9]))
        #expect(try change.objection(in: next) == nil)
    }
}
