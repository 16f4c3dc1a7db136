/// The user's own extended attributes (xattr(7)), kept in the row and synchronised.
extension CloudScope {
    /// The state of documents is answered elsewhere, under this prefix.
    private static let reserved = "user.docfs."
    private static let prefix = "user."
    /// Flags of setxattr(2).
    private static let createFlag: Int32 = 1
    private static let replaceFlag: Int32 = 2

    package func extendedAttribute(_ name: String, of number: FileNumber, caller: Caller)
        throws(DocFSError) -> [UInt8]
    {
        try checkKept(name)
        guard let attribute = try row(number).attributes.first(where: { $0.name == name }) else {
            throw .noSuchAttribute
        }
        return attribute.value
    }

    package func extendedAttributeNames(of number: FileNumber) throws(DocFSError) -> [String] {
        try row(number).attributes.map(\.name)
    }

    /// - Parameter check: is asked about the row in the transaction that changes it.
    package func setExtendedAttribute(
        _ name: String, of number: FileNumber, value: [UInt8], flags: Int32, caller: Caller,
        check: (LocalItem) throws(DocFSError) -> Void = { _ in }
    ) throws(DocFSError) {
        try checkSettable(name)
        if name.utf8.count > ExtendedAttribute.maximumName { throw .rangeTooSmall }
        if value.count > ExtendedAttribute.maximumValue { throw .attributeTooLarge }
        try changeAttributes(of: number, check) { (attributes) throws(DocFSError) in
            let index = attributes.firstIndex { $0.name == name }
            if index != nil && flags & Self.createFlag != 0 { throw .exists }
            if index == nil && flags & Self.replaceFlag != 0 { throw .noSuchAttribute }
            if let index { attributes.remove(at: index) }
            attributes.append(ExtendedAttribute(name: name, value: value))
            let sum = attributes.reduce(0) { $0 + $1.size }
            if sum > ExtendedAttribute.maximumSum { throw .diskFull }
            attributes.sort()
        }
    }

    /// - Parameter check: is asked about the row in the transaction that changes it.
    package func removeExtendedAttribute(
        _ name: String, of number: FileNumber, caller: Caller,
        check: (LocalItem) throws(DocFSError) -> Void = { _ in }
    ) throws(DocFSError) {
        try checkSettable(name)
        try changeAttributes(of: number, check) { (attributes) throws(DocFSError) in
            guard let index = attributes.firstIndex(where: { $0.name == name }) else {
                throw .noSuchAttribute
            }
            attributes.remove(at: index)
        }
    }

    private func checkSettable(_ name: String) throws(DocFSError) {
        try checkKept(name)
        if name.hasPrefix(Self.reserved) { throw .notPermitted }
    }

    /// The prefix alone is no name.
    private func checkKept(_ name: String) throws(DocFSError) {
        guard name.hasPrefix(Self.prefix) else { throw .notOffered }
        if name == Self.prefix { throw .invalidArgument }
    }

    private func changeAttributes(
        of number: FileNumber, _ check: (LocalItem) throws(DocFSError) -> Void,
        _ body: (inout [ExtendedAttribute]) throws(DocFSError) -> Void
    ) throws(DocFSError) {
        let now = clock.wallTime()
        try catalog.write { (transaction) throws(DocFSError) in
            guard let old = try transaction.read.local(number.row), old.scope == id else {
                throw .stale
            }
            try check(old)
            var row = old
            try body(&row.attributes)
            row.changed = now
            try transaction.update(row, from: old)
            if row.ino != rootIno { try transaction.markEdited(row) }
        }
    }
}
