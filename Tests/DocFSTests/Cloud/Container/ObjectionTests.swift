import Testing

@testable import DocFS

/// Changes that are void at their place in the log, for everyone who reads it.
struct ObjectionTests {
    /// A tree of directories.
    private struct Directories: TreeView {
        var states: [ItemID: ItemState] = [:]

        func state(of item: ItemID) -> ItemState? { states[item] }
        func hasChildren(_ item: ItemID) -> Bool { states.values.contains { $0.parent == item } }
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
}
