@testable import DocFS

/// The three trees of one device and its store, small enough to be made a hundred thousand times.
///
/// Items, contents and revisions are numbers; item 0 is the root. What happens to the trees is told
/// by ``Perturbation``; planning and its effects follow `Sync`, without its SQL and its waiting:
/// `Trio`, `Identity`, `LocalApplier`, `EffectMaker` and `LogApplier`.
struct PerturbedTree {
    /// One item of the local tree, with the bytes that it really has.
    struct Row: Equatable {
        /// As planning sees it, without what only the whole tree tells.
        var view: LocalView
        var content: Int
    }

    var local: [ItemID: Row] = [:]
    var base: [ItemID: ItemState] = [:]
    var remote: [ItemID: ItemState] = [:]
    /// What the store keeps under each revision.
    var bodies: [Revision: Int] = [:]
    /// Whether the store gives a body a new revision when it moves.
    let renewsRevisions: Bool
    /// Bytes that somebody wrote, or that were there before.
    var written: Set<Int> = []
    /// Bytes that somebody who saw them replaced or deleted.
    var overwritten: Set<Int> = []
    /// Items put aside to make room, as in the engine's transaction.
    var parked: [ItemID] = []
    /// Counts changes, so that a round without one is known.
    var changes = 0
    /// What must never happen and did.
    var violations: [String] = []
    private var lastRevision = 0
    private var lastSibling: UInt64 = 1000

    init(renewsRevisions: Bool) { self.renewsRevisions = renewsRevisions }

    static func item(_ number: Int) -> ItemID { ItemID(high: 0, low: UInt64(number)) }

    /// Bytes of equal size are common, so that digests are asked for.
    static func size(of content: Int) -> UInt64 { content % 3 == 0 ? 3 : 5 }

    static func digest(of content: Int) -> Digest {
        Digest(bytes: (0..<32).map { $0 < 8 ? UInt8(truncatingIfNeeded: content >> ($0 * 8)) : 0 })!
    }

    static func target(of content: Int) -> [UInt8] { Array("to \(content)".utf8) }

    /// The identity of an item that a conflict makes.
    mutating func newItem() -> ItemID {
        lastSibling += 1
        return ItemID(high: 0, low: lastSibling)
    }

    /// A body of the store with a revision of its own; a directory for no bytes.
    mutating func store(_ content: Int, kind: ItemKind, isHashed: Bool = true) -> ItemContent {
        if kind == .directory { return .directory }
        lastRevision += 1
        let revision = Revision("\(lastRevision)")
        bodies[revision] = content
        if kind == .symlink {
            return .symlink(target: Self.target(of: content), revision: revision)
        }
        let digest = isHashed ? Self.digest(of: content) : nil
        return .file(Body(size: Self.size(of: content), digest: digest, revision: revision))
    }

    /// The bytes of a state; 0 for directories.
    func bytes(of state: ItemState) -> Int {
        state.content.revision.flatMap { bodies[$0] } ?? 0
    }

    // MARK: Looking

    /// What the engine's `Trio` gathers for planning.
    func trio(_ item: ItemID) -> Situation {
        var trio = Situation(local: local[item]?.view, base: base[item], remote: remote[item])
        if trio.remote?.kind == .directory { trio.remoteHasChildren = hasRemoteChildren(item) }
        guard let view = trio.local, view.kind == .directory else { return trio }
        trio.local?.hasChildren = local.values.contains { $0.view.parent == item }
        if trio.base != nil, trio.remote == nil {
            trio.local?.holdsNews = holdsNews(item)
            let children = local.values.filter { $0.view.parent == item }
            trio.local?.holdsOnlyScratch =
                !children.isEmpty && children.allSatisfy(\.view.isExcluded)
        }
        if let base = trio.base, base.parent != view.parent {
            trio.local?.wouldHoldItself = lies(view.parent, below: item)
        }
        return trio
    }

    func hasRemoteChildren(_ item: ItemID) -> Bool {
        remote.values.contains { $0.parent == item }
    }

    private func holdsNews(_ directory: ItemID) -> Bool {
        local.contains { child, row in
            guard row.view.parent == directory, !row.view.isExcluded else { return false }
            guard let known = base[child] else { return true }
            return known.parent != directory && remote[child] != nil
        }
    }

    /// Whether the store has `directory` at or below `item`.
    private func lies(_ directory: ItemID, below item: ItemID) -> Bool {
        var next = directory
        while next != .root {
            if next == item { return true }
            guard let state = remote[next] else { return false }
            next = state.parent
        }
        return false
    }

    func localChild(_ name: Name, of parent: ItemID) -> ItemID? {
        local.first { $0.value.view.parent == parent && $0.value.view.name == name }?.key
    }

    func remoteChild(_ name: Name, of parent: ItemID) -> ItemID? {
        remote.first { $0.value.parent == parent && $0.value.name == name }?.key
    }

    /// Whether the store has the item, a directory, and every directory above it.
    func isDirectoryInStore(_ item: ItemID) -> Bool {
        isDirectoryThere(item) && isInStore(item)
    }

    /// Whether the store has the item and every directory above it.
    private func isInStore(_ item: ItemID) -> Bool {
        var next = item
        while next != .root {
            guard let state = remote[next] else { return false }
            next = state.parent
        }
        return true
    }

    /// Every item that any tree knows, in a fixed order.
    var items: [ItemID] { Set(local.keys).union(base.keys).union(remote.keys).sorted() }
}
