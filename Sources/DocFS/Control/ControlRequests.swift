/// What the kernel's front asks of `.docfs`.
///
/// That is everything whose number ``FileNumber/isControl``, the name `.docfs` in the root, and the
/// attributes `user.docfs.*` of every file of the mount. Whatever is not here is answered EPERM by
/// the front.
///
/// Called from any of libfuse's threads. Nothing here waits for a store, except reads by
/// ``PendingRead``.
package protocol ControlRequests: AnyObject, Sendable {
    /// An open file or listing of `.docfs`; kept alive by the front until it is closed.
    typealias Handle = AnyObject & Sendable

    /// `parent` is the root for the name `.docfs` itself.
    func lookup(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LookupResult
    func attributes(of number: FileNumber) throws(DocFSError) -> LookupResult
    func readLink(_ number: FileNumber) throws(DocFSError) -> [UInt8]
    /// The kernel now knows `number`.
    func retain(_ number: FileNumber)
    /// The kernel has forgotten `number` completely.
    func forget(_ number: FileNumber)

    func open(_ number: FileNumber, forWriting: Bool, caller: Caller) throws(DocFSError)
        -> (any Handle, Caching)
    /// With `isNonBlocking` what would wait is `.wouldBlock`.
    func read(
        _ file: any Handle, at offset: UInt64, length: Int, isNonBlocking: Bool
    ) throws(DocFSError) -> ReadAnswer
    /// Whether a read would be answered at once. `wake`, when given, is to be called once as soon
    /// as one would; a later poll of the same handle replaces an earlier one's.
    func poll(_ file: any Handle, wake: (@Sendable () -> Void)?) -> Bool
    func close(_ file: any Handle)

    func openDirectory(_ number: FileNumber) throws(DocFSError) -> any Handle
    func list(
        _ directory: any Handle, from cookie: UInt64, withAttributes: Bool,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError)
    func closeDirectory(_ directory: any Handle)

    /// Restores what lies in the trash; the kernel goes on with the same inode, so the new
    /// number is to be announced by ``KernelInvalidator/renumbered(_:to:)`` before this returns.
    func restore(
        _ name: Name, in parent: FileNumber, as newName: Name, in newParent: FileNumber,
        isReplacing: Bool, caller: Caller
    ) throws(DocFSError)

    /// Removes an earlier version of a document.
    func unlink(_ name: Name, in parent: FileNumber, caller: Caller) throws(DocFSError)

    /// The value of an attribute whose name begins with `user.docfs.`
    func documentAttribute(_ name: String, of number: FileNumber) throws(DocFSError) -> [UInt8]
    func setDocumentAttribute(
        _ name: String, of number: FileNumber, value: [UInt8], caller: Caller
    ) throws(DocFSError)
}
