/// What the kernel's front asks of `.docfs`: everything whose number ``FileNumber/isControl``, and
/// the name `.docfs` in the root. Whatever is not here is answered EPERM by the front.
///
/// Called from any of libfuse's threads.
package protocol ControlRequests: AnyObject, Sendable {
    /// An open file or listing of `.docfs`; kept alive by the front until it is closed.
    typealias Handle = AnyObject & Sendable

    /// `parent` is the root for the name `.docfs` itself.
    func lookup(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LookupResult
    func attributes(of number: FileNumber) throws(DocFSError) -> LookupResult
    func readLink(_ number: FileNumber) throws(DocFSError) -> [UInt8]

    func open(_ number: FileNumber, flags: Int32, caller: Caller) throws(DocFSError)
        -> (any Handle, Caching)
    func read(_ file: any Handle, at offset: UInt64, length: Int) throws(DocFSError) -> ReadAnswer
    /// What is ready now, as poll(2) has it. `wake`, when given, is to be called once as soon as
    /// that changes; a later poll of the same handle replaces an earlier one's.
    func poll(_ file: any Handle, wake: (@Sendable () -> Void)?) throws(DocFSError) -> UInt32
    func close(_ file: any Handle)

    func openDirectory(_ number: FileNumber) throws(DocFSError) -> any Handle
    func list(
        _ directory: any Handle, from cookie: UInt64, withAttributes: Bool,
        _ each: (borrowing DirectoryEntry) -> Bool
    ) throws(DocFSError)
    func closeDirectory(_ directory: any Handle)

    /// Restores what lies in the trash; the kernel goes on with the same inode, so the new
    /// number is to be announced by ``KernelInvalidator/renumbered(_:to:)`` before this returns.
    func rename(
        _ name: Name, in parent: FileNumber, to newName: Name, in newParent: FileNumber,
        mode: RenameMode, caller: Caller
    ) throws(DocFSError)
}
