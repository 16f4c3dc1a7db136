@testable import DocFS

/// A row of a table of the page, with situations that it is about.
struct DecisionRow {
    /// The cells before the step, as on the page.
    let conditions: [String]
    let situations: [Situation]

    init(_ conditions: String..., of situations: [Situation]) {
        self.conditions = conditions
        self.situations = situations
    }

    // MARK: Situations in a line

    /// The item here, agreeing with its base but for what `change` does.
    static func here(
        _ kind: ItemKind = .file, _ change: (inout LocalView) -> Void = { _ in }
    ) -> LocalView {
        let base = base(kind)
        var view = LocalView(
            parent: base.parent, name: base.name, metadata: base.metadata, kind: kind,
            basis: base.content.revision)
        if kind == .symlink { view.target = PerturbedTree.target(of: 1) }
        change(&view)
        return view
    }

    static func base(_ kind: ItemKind = .file) -> ItemState { Situations.base(of: kind) }

    /// The item there, agreeing with its base but for what `change` does.
    static func there(
        _ kind: ItemKind = .file, _ change: (inout ItemState) -> Void = { _ in }
    ) -> ItemState {
        var state = base(kind)
        change(&state)
        return state
    }

    /// The item there with another body: content 1 is the base's, 2 is of its size, 3 is not.
    static func stored(_ content: Int, isHashed: Bool = true) -> ItemState {
        there {
            $0.content = .file(
                Situations.body(content, Revision("later"), isHashed: isHashed))
        }
    }

    static func linked(_ content: Int) -> ItemState {
        there(.symlink) {
            $0.content = .symlink(
                target: PerturbedTree.target(of: content), revision: Revision("later"))
        }
    }

    static func edit(_ content: Int, isHashed: Bool = true) -> LocalView.Bytes {
        .changed(
            digest: isHashed ? PerturbedTree.digest(of: content) : nil,
            size: PerturbedTree.size(of: content))
    }

    static func edited(_ content: Int, isHashed: Bool = true) -> LocalView {
        here { $0.bytes = edit(content, isHashed: isHashed) }
    }

    static func relinked(_ content: Int) -> LocalView {
        here(.symlink) {
            $0.bytes = edit(content)
            $0.target = PerturbedTree.target(of: content)
        }
    }
}
