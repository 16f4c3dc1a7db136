/// What is made under the name of a document that has left it, for S14.
extension CatalogReader {
    /// The row of the same kind that has the name which `base` has in `scope`, if the container
    /// knows nothing of that row's item.
    ///
    /// It may be the next version of the document that `base` describes. What is excluded is none.
    package func rowMade(insteadOf base: ItemState, in scope: ScopeRecord) throws(DocFSError)
        -> LocalItem?
    {
        var parent: Int64? = scope.root
        if base.parent != .root { parent = try local(item: base.parent, scope: scope.id)?.ino }
        guard let parent, let row = try child(base.name, of: parent), row.kind == base.kind,
            !row.isExcluded, try state(.base, of: row.item, scope: scope.id) == nil,
            try state(.remote, of: row.item, scope: scope.id) == nil
        else { return nil }
        return row
    }
}
