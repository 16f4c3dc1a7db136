internal import CFuse
internal import Glibc

/// Extended attributes (xattr(7)), of the file itself also where it is a symbolic link.
///
/// All namespaces as the filesystem has them, except that POSIX ACLs are not offered, and that
/// names beginning with `user.docfs.` are DocFS's own: of these only the scope is answered, none
/// is listed, and none can be set.
extension LocalScope {
    private static let reserved = Array("user.docfs.".utf8)
    private static let scopeName = Array("user.docfs.scope".utf8)
    private static let lists = Array("system.posix_acl_".utf8)

    /// getxattr(2).
    package func attribute(_ name: [UInt8], of number: FileNumber) throws(DocFSError) -> [UInt8] {
        if name == LocalScope.scopeName { return Array("Local".utf8) }
        if name.starts(with: LocalScope.reserved) { throw .noSuchAttribute }
        if name.starts(with: LocalScope.lists) { throw .notOffered }
        let (descriptor, isOpened) = try reached(number)
        return isOpened
            ? try Posix.attribute(name, opened: descriptor)
            : try Posix.attribute(name, reached: descriptor)
    }

    /// setxattr(2); `flags` are XATTR_CREATE and XATTR_REPLACE.
    package func setAttribute(
        _ name: [UInt8], _ value: [UInt8], flags: Int32, of number: FileNumber
    ) throws(DocFSError) {
        try checkSettable(name)
        try Posix.setAttribute(
            name, value, flags: flags, reached: try reached(number).descriptor)
    }

    /// removexattr(2).
    package func removeAttribute(_ name: [UInt8], of number: FileNumber) throws(DocFSError) {
        try checkSettable(name)
        try Posix.removeAttribute(name, reached: try reached(number).descriptor)
    }

    /// listxattr(2): names, each ended by a NUL.
    package func attributeList(of number: FileNumber) throws(DocFSError) -> [UInt8] {
        let list = try Posix.attributeList(reached: try reached(number).descriptor)
        var shown: [UInt8] = []
        for name in list.split(separator: 0)
        where !name.starts(with: LocalScope.reserved) && !name.starts(with: LocalScope.lists) {
            shown.append(contentsOf: name)
            shown.append(0)
        }
        return shown
    }

    private func checkSettable(_ name: [UInt8]) throws(DocFSError) {
        if name.starts(with: LocalScope.reserved) { throw .notPermitted }
        if name.starts(with: LocalScope.lists) { throw .notOffered }
    }
}
