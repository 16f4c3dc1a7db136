import DocFS

/// What users do now and then.
extension Device {
    /// Has two names change places, as renameat2(2) does with RENAME_EXCHANGE.
    func exchange(_ path: String, _ other: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        let (otherParent, otherName) = try place(other)
        try daemon.scope.rename(
            name, in: parent, to: otherName, in: otherParent, mode: .exchange,
            caller: Daemon.caller)
    }

    /// Cuts a document off.
    func truncate(_ path: String, to size: Int) throws(DocFSError) {
        guard let row = try row(path), row.isFile, let old = try text(row),
            size < old.utf8.count
        else { throw .notFound }
        let new = String(decoding: old.utf8.prefix(size), as: UTF8.self)
        if row.state == .current {
            world.ledger.announce(new)
        } else {
            world.ledger.announce(new, cutOffFrom: old, isWhole: row.state == .none)
        }
        world.ledger.release(old)
        var change = AttributeChange()
        change.size = UInt64(size)
        _ = try daemon.scope.setAttributes(
            of: FileNumber(UInt64(row.ino)), change, caller: Daemon.caller)
        if isRunning { world.ledger.require(new, name) }
    }

    /// Destroys the earlier versions of a document for good.
    func removeVersions(of path: String) throws(DocFSError) {
        guard let row = try row(path), row.isFile else { throw .notFound }
        let scope = daemon.record.id
        let versions = try daemon.catalog.readConsistently { (read) throws(DocFSError) in
            try read.versions(of: row.item, scope: scope)
        }
        let current = try text(row)
        for version in versions {
            try daemon.remove(version)
            world.kept.empty([version.path], [])
            let text = world.ledger.text(of: version.digest, version.revision)
            if text != current { world.ledger.destroy(text) }
        }
    }

    /// Makes a symbolic link.
    func makeLink(_ path: String, to target: String) throws(DocFSError) {
        let (parent, name) = try place(path)
        _ = try daemon.scope.makeSymlink(
            name, in: parent, target: Array(target.utf8), caller: Daemon.caller)
    }
}
