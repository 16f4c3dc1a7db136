extension CatalogWriter {
    /// What a row's document is here has changed: it is to be planned, unless it lives on this
    /// device only or nothing but an open handle reaches it.
    package func markEdited(_ row: LocalItem) throws(DocFSError) {
        guard !row.isExcluded, row.parent != nil || row.isDeparting else { return }
        try markPending(row.item, scope: row.scope)
    }
}
