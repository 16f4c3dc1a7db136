/// Removing earlier versions.
extension ControlDirectory {
    /// - Throws: `.notPermitted` for everything but an earlier version, and for whoever does
    ///   not own both the document and the version; `.busy` while an unsent edit here still
    ///   needs bytes of it.
    package func unlink(_ name: Name, in parent: FileNumber, caller: Caller) throws(DocFSError) {
        guard case .mirror(let ino) = try places.place(of: parent) else { throw .notPermitted }
        let (row, version) = try catalog.readConsistently { (read) throws(DocFSError) in
            guard let row = try read.local(ino) else { throw DocFSError.stale }
            guard row.isFile else { throw DocFSError.notPermitted }
            let versions = try VersionName.versions(of: row, in: read)
            guard let version = versions.first(where: { $0.name == name })?.record else {
                throw DocFSError.notFound
            }
            return (row, version)
        }
        try catalog.bulletin.refuseReadOnly(row.scope)
        let owners = [row.owner, version.ownership?.user ?? settings.owner]
        if caller.user != 0, owners.contains(where: { $0 != caller.user }) { throw .notPermitted }
        try documents.remove(version, scope: row.scope)
    }
}
