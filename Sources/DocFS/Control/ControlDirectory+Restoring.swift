extension ControlDirectory {
    package func restore(
        _ name: Name, in parent: FileNumber, as newName: Name, in newParent: FileNumber,
        isReplacing: Bool, caller: Caller
    ) throws(DocFSError) {
        throw .notPermitted
    }
}
