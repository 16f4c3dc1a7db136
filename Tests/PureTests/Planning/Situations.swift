@testable import DocFS

/// Every combination of facets that planning can tell apart.
///
/// The base is always the same item; each facet of the other two is the base's, another, or yet
/// another. Flags that a kind cannot have are left out.
enum Situations {
    static let root = ItemID.root
    static let bases: [ItemState?] = [
        nil, base(of: .file), base(of: .file, isHashed: false), base(of: .directory),
        base(of: .symlink),
    ]

    /// Calls `body` with each situation.
    static func forEach(_ body: (Situation) -> Void) {
        let (locals, remotes) = (locals(), remotes())
        for base in bases {
            for remote in remotes {
                for local in locals {
                    body(Situation(local: local, base: base, remote: remote))
                    guard local == nil, remote?.kind == .directory else { continue }
                    body(
                        Situation(
                            local: local, base: base, remote: remote, remoteHasChildren: true))
                }
            }
        }
    }

    static let metadata = Metadata(mode: 0o644, modified: Timestamp(seconds: 1))
    static let revision = Revision("base")
    static let document = ItemID(high: 0, low: 9)

    static func base(of kind: ItemKind, isHashed: Bool = true) -> ItemState {
        let content: ItemContent =
            switch kind {
            case .file: .file(body(1, revision, isHashed: isHashed))
            case .directory: .directory
            case .symlink: .symlink(target: PerturbedTree.target(of: 1), revision: revision)
            }
        return ItemState(parent: root, name: "name", metadata: metadata, content: content)
    }

    static func body(_ content: Int, _ revision: Revision, isHashed: Bool = true) -> Body {
        Body(
            size: PerturbedTree.size(of: content),
            digest: isHashed ? PerturbedTree.digest(of: content) : nil, revision: revision)
    }

    private static let places: [(ItemID, Name)] = [
        (root, "name"), (root, "other"), (ItemID(high: 0, low: 2), "name"),
    ]

    private static let descriptions: [(Metadata, ConflictMark?)] = [
        (metadata, nil), (metadata, ConflictMark(of: document)),
        (Metadata(mode: 0o600, modified: Timestamp(seconds: 1)), nil),
        (Metadata(mode: 0o644, modified: Timestamp(seconds: 2)), nil),
        (
            Metadata(mode: 0o600, modified: Timestamp(seconds: 2)),
            ConflictMark(of: document, madeFrom: revision)
        ),
    ]

    // MARK: The store

    private static func remotes() -> [ItemState?] {
        let later = Revision("later")
        let contents: [ItemContent] = [
            .file(body(1, revision)), .file(body(1, later)), .file(body(2, later)),
            .file(body(3, later)), .file(body(2, later, isHashed: false)), .directory,
            .symlink(target: PerturbedTree.target(of: 1), revision: revision),
            .symlink(target: PerturbedTree.target(of: 1), revision: later),
            .symlink(target: PerturbedTree.target(of: 2), revision: later),
        ]
        var states: [ItemState?] = [nil]
        for content in contents {
            for (parent, name) in places {
                for (metadata, mark) in descriptions {
                    states.append(
                        ItemState(
                            parent: parent, name: name, metadata: metadata, content: content,
                            conflictOf: mark))
                }
            }
        }
        return states
    }

    // MARK: This device

    private static func locals() -> [LocalView?] {
        var views: [LocalView?] = [nil]
        for (parent, name) in places {
            for (metadata, mark) in descriptions {
                for kind in ItemKind.allCases {
                    var view = LocalView(parent: parent, name: name, metadata: metadata, kind: kind)
                    view.conflictOf = mark
                    views += contents(view).flatMap(flags)
                }
            }
        }
        return views
    }

    /// The bytes that a view may have, made from the base's revision, the store's or another.
    private static func contents(_ view: LocalView) -> [LocalView] {
        if view.kind == .directory { return [view] }
        let bytes: [(LocalView.Bytes, Int)] =
            [(.same, 1)] + [1, 2, 3, 4].map { (.changed(digest: digest($0), size: size($0)), $0) }
            + (view.kind == .file ? [(.changed(digest: nil, size: size(2)), 2)] : [])
        let bases = [nil, revision, Revision("later"), Revision("other")]
        return bytes.flatMap { bytes, content in
            bases.map { basis in
                var view = view
                (view.bytes, view.basis) = (bytes, basis)
                if view.kind == .symlink { view.target = PerturbedTree.target(of: content) }
                return view
            }
        }
    }

    private static func digest(_ content: Int) -> Digest { PerturbedTree.digest(of: content) }

    private static func size(_ content: Int) -> UInt64 { PerturbedTree.size(of: content) }

    private static func flags(_ view: LocalView) -> [LocalView] {
        let isEdited = view.kind == .file && view.bytes != .same
        if view.kind == .file, !isEdited, view.newer == .unwanted {
            let choices: [LocalView.NewerBody] = [.unwanted, .missing, .here]
            return choices.flatMap { newer in
                var view = view
                view.newer = newer
                return newer == .unwanted ? flagged(view, isEdited: false) : flags(view)
            }
        }
        return flagged(view, isEdited: isEdited)
    }

    private static func flagged(_ view: LocalView, isEdited: Bool) -> [LocalView] {
        (0..<(view.kind == .symlink ? 4 : view.kind == .file ? isEdited ? 16 : 8 : 64)).map {
            bits in
            var view = view
            view.isExcluded = bits & 1 != 0
            view.isDeparting = bits & 2 != 0
            view.isHeld = view.kind == .file && bits & 4 != 0
            view.hasChildren = view.kind == .directory && bits & 4 != 0
            view.lacksSource = view.kind == .file && bits & 8 != 0
            view.holdsNews = view.kind == .directory && bits & 8 != 0
            view.holdsOnlyScratch = view.hasChildren && bits & 32 != 0
            view.wouldHoldItself = view.kind == .directory && bits & 16 != 0
            return view
        }
    }
}
