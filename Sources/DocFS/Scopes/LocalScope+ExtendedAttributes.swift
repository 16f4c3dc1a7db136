/// Extended attributes (xattr(7)), of the file itself also where it is a symbolic link.
///
/// All namespaces as the filesystem has them, except that POSIX ACLs are not offered, and that
/// names beginning with `user.docfs.` are DocFS's own: of these only the scope is answered, none
/// is listed, and none can be set.
extension LocalScope {
    private static let reserved = "user.docfs."
    private static let scopeName = "user.docfs.scope"
    private static let lists = "system.posix_acl_"

    /// getxattr(2).
    package func extendedAttribute(_ name: String, of number: FileNumber) throws(DocFSError)
        -> [UInt8]
    {
        if name == LocalScope.scopeName { return Array("Local".utf8) }
        if name.hasPrefix(LocalScope.reserved) { throw .noSuchAttribute }
        if name.hasPrefix(LocalScope.lists) { throw .notOffered }
        let (descriptor, isOpened) = try reached(number)
        let bytes = Array(name.utf8)
        return isOpened
            ? try Posix.attribute(bytes, opened: descriptor)
            : try Posix.attribute(bytes, reached: descriptor)
    }

    /// setxattr(2); `flags` are XATTR_CREATE and XATTR_REPLACE.
    package func setExtendedAttribute(
        _ name: String, of number: FileNumber, value: [UInt8], flags: Int32
    ) throws(DocFSError) {
        try checkSettable(name)
        let descriptor = try reached(number).descriptor
        try changing(number, descriptor) { () throws(DocFSError) in
            try Posix.setAttribute(Array(name.utf8), value, flags: flags, reached: descriptor)
        }
    }

    /// removexattr(2).
    package func removeExtendedAttribute(_ name: String, of number: FileNumber)
        throws(DocFSError)
    {
        try checkSettable(name)
        let descriptor = try reached(number).descriptor
        try changing(number, descriptor) { () throws(DocFSError) in
            try Posix.removeAttribute(Array(name.utf8), reached: descriptor)
        }
    }

    /// listxattr(2).
    package func extendedAttributeNames(of number: FileNumber) throws(DocFSError) -> [String] {
        let list = try Posix.attributeList(reached: try reached(number).descriptor)
        return list.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix(LocalScope.reserved) && !$0.hasPrefix(LocalScope.lists) }
    }

    private func checkSettable(_ name: String) throws(DocFSError) {
        if name.hasPrefix(LocalScope.reserved) { throw .notPermitted }
        if name.hasPrefix(LocalScope.lists) { throw .notOffered }
    }
}
