/// Tells the kernel that what it remembers is no longer so.
///
/// Declared here, because calls go down only; the FUSE room provides it.
///
/// Every call returns at once and is carried out later, in order, by a thread that nobody waits
/// for: an invalidation may block as long as the kernel holds a directory's lock. Numbers that the
/// kernel does not know are ignored.
package protocol KernelInvalidator: Sendable {
    /// What the kernel remembers of `name` in `parent`, present or absent, is to be asked anew.
    func entryChanged(in parent: FileNumber, _ name: Name)
    /// `child` is gone from `parent` under `name`.
    func entryRemoved(in parent: FileNumber, _ name: Name, child: FileNumber)
    /// `child` under `name` in `parent` is to be forgotten, unless somebody has it open.
    func entryUnused(in parent: FileNumber, _ name: Name, child: FileNumber)
    /// Attributes of `number` are to be asked anew.
    func attributesChanged(of number: FileNumber)
    /// Attributes and pages of `number` are to be asked anew.
    func contentChanged(of number: FileNumber)
    /// The file that the kernel knows as `old` goes on under `new`: it moved between scopes. Takes
    /// effect before this call returns.
    func renumbered(_ old: FileNumber, to new: FileNumber)
}
