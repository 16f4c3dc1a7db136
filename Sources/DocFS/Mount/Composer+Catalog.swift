internal import Logging

/// The catalog, and what becomes of a lost one.
extension Composer {
    /// Opens the catalog, and finds out which device this is.
    ///
    /// A damaged one is put aside with all contents, so that nothing is lost, and so are contents
    /// without a catalog; a new one is filled from the container.
    func openCatalog(_ plain: Descriptor) throws -> (Catalog, DeviceID) {
        let path = state.path + "/catalog.sqlite"
        let identity = DeviceIdentity(of: state, plain)
        var whole: Catalog?
        var reason = "it is missing"
        do throws(DocFSError) {
            if try !LostCatalog.isMissing(in: state.directory) { whole = try Catalog(path: path) }
        } catch .corrupt(let words) {
            reason = words
        }
        let device = try identity.find(whole)
        let catalog = try whole ?? rebuild(path, reason, HiddenFolder(in: plain, of: device))
        try identity.keep(device, in: catalog)
        return (catalog, device)
    }

    private func rebuild(_ path: String, _ reason: String, _ hidden: HiddenFolder)
        throws(DocFSError) -> Catalog
    {
        let lost = LostCatalog(state: state.directory, hidden: hidden)
        let aside = try lost.putAside(at: clock.wallTime())
        log.error(
            """
            the catalog is damaged (\(reason)): what there is of it and all contents are kept in \
            \(state.path)/\(aside), it is rebuilt from the container, and edits that were not \
            sent are brought back
            """)
        return try Catalog(path: path)
    }

    /// Brings back what was lost, and what will turn out to have been.
    func salvage(
        _ clouds: [CloudScope], _ lost: LostCatalog, _ catalog: Catalog, _ contents: Contents
    ) -> Salvage {
        let salvage = Salvage(
            clouds: clouds, lost: lost, catalog: catalog, contents: contents,
            invalidator: invalidator, log: log)
        contents.whenPutAside { [log] aside in
            if aside.isTorn {
                return log.warning(
                    """
                    \(aside.document ?? "a document"): an edit was not on the disk when the power \
                    went: what there is of it is \(aside.path)
                    """)
            }
            log.error(
                """
                the catalog is damaged (it has lost the end of what it knew): an edit that it \
                does not tell of is kept as \(aside.path), and brought back
                """)
            salvage.start()
        }
        return salvage
    }
}
