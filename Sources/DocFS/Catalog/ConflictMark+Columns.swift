extension ConflictMark {
    /// Reads the columns `conflict_of` and `conflict_base`; `nil` for anything else.
    init?(row: Statement) {
        let document = row.identifier(ItemID.self)
        let base = row.text()
        guard let document else { return nil }
        self.init(of: document, madeFrom: base.map { Revision($0) })
    }
}

extension Statement {
    /// Binds the columns `conflict_of` and `conflict_base`.
    func bind(_ mark: ConflictMark?) {
        bind(mark?.document)
        bind(mark?.base?.token)
    }
}
