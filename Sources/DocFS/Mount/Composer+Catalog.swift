internal import Logging

/// The catalog, and what becomes of a lost one.
extension Composer {
    /// Opens the catalog, and finds out which device this is, and whether that is news.
    ///
    /// A damaged one is put aside with all contents, so that nothing is lost, and so are contents
    /// without a catalog; a new one is filled from the container.
    func openCatalog(_ plain: Descriptor) throws -> (Catalog, DeviceID, isCopy: Bool) {
        let path = state.path + "/catalog.sqlite"
        let identity = DeviceIdentity(of: state, plain)
        var whole: Catalog?
        var reason: String? = "it is missing"
        do throws(DocFSError) {
            if try !LostCatalog.isMissing(in: state.directory) { whole = try Catalog(path: path) }
        } catch .corrupt(let words) {
            reason = words
        }
        var isCopy = false
        let device = try identity.find(whole) { isCopy = true }
        let hidden = try HiddenFolder(in: plain, of: device)
        let newContainers = try NewContainers(in: state)
        if let known = whole, try newContainers.giveUp(known, contentFiles(hidden)) {
            reason = nil
            try known.leave()
            // Closed before another one has its name.
            whole = nil
        }
        let catalog = try whole ?? rebuild(path, reason, hidden)
        try newContainers.note(in: catalog)
        try identity.keep(device, in: catalog)
        if isCopy { tellOfCopy("this state directory was copied or restored", catalog) }
        return (catalog, device, isCopy)
    }

    /// The contents of the documents, with what an earlier process left.
    func contents(_ catalog: Catalog, _ hidden: HiddenFolder) throws(DocFSError) -> Contents {
        try Contents(
            catalog: catalog, files: contentFiles(hidden), clock: clock,
            deadline: configuration.deadline.nanoseconds, boot: Posix.boot, log: log)
    }

    func contentFiles(_ hidden: HiddenFolder) throws(DocFSError) -> ContentFiles {
        ContentFiles(state: try directory(at: state.path + "/contents"), local: hidden.contents)
    }

    /// Who this device is to its containers, from `id` on.
    func currentDevice(_ id: DeviceID, _ catalog: Catalog) -> CurrentDevice {
        CurrentDevice(id) { [self] new in
            do throws(DocFSError) {
                try DeviceIdentity.note(new, in: state)
            } catch {
                // Noticed again after the next start, if need be.
                log.error("\(state.path)/device-next cannot be written: \(error.sentence)")
            }
            tellOfCopy(
                "another device writes under the identity of this one, or has written with a state "
                    + "that this one's does not know of", catalog)
        }
    }

    /// Says that this device is another one from now on, and why (S34).
    func tellOfCopy(_ reason: String, _ catalog: Catalog) {
        let sentence = """
            \(reason): this is a device of its own from now on, and keeps its unsent edits; \
            give it a name of its own (--device) if another one goes on as "\(configuration.device)"
            """
        log.warning("\(sentence)")
        catalog.bulletin.note(sentence)
    }

    /// - Parameter reason: what is wrong with it; `nil` where the user gives it up.
    private func rebuild(_ path: String, _ reason: String?, _ hidden: HiddenFolder)
        throws(DocFSError) -> Catalog
    {
        let lost = LostCatalog(state: state.directory, hidden: hidden)
        let aside = try lost.putAside(at: clock.wallTime())
        guard let reason else {
            log.notice(
                """
                a new container is made, as was asked for: what this device knew of the old one is \
                kept in \(state.path)/\(aside)
                """)
            return try Catalog(path: path)
        }
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
    ) throws(DocFSError) -> Salvage {
        var new: Set<Int64> = []
        for scope in clouds where try NewContainers.isAsked(of: scope.name, catalog) {
            new.insert(scope.id)
        }
        let salvage = Salvage(
            clouds: clouds, new: new, lost: lost, catalog: catalog, contents: contents,
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
