extension Transfers {
    func removeIncoming(_ name: Name, in parent: FileNumber, isDirectory: Bool) throws(DocFSError) -> Bool { false }
    func renameIncoming(_ move: Move) throws(DocFSError) -> Bool { false }
    func moveIn(_ move: Move, to scope: CloudScope) throws(DocFSError) { throw .notOffered }
    func moveOut(_ move: Move, from scope: CloudScope) throws(DocFSError) { throw .notOffered }
    func moveAcross(_ move: Move, from: CloudScope, to: CloudScope) throws(DocFSError) { throw .notOffered }
}
