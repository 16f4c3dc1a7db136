internal import Synchronization

@testable import DocFS

/// What a kernel would have been told.
final class ControlKernel: KernelInvalidator {
    private let told = Mutex<[FileNumber: FileNumber]>([:])

    /// Which numbers go on under which others.
    var renumbered: [FileNumber: FileNumber] { told.withLock { $0 } }

    func entryChanged(in parent: FileNumber, _ name: Name) {}
    func entryRemoved(in parent: FileNumber, _ name: Name, child: FileNumber) {}
    func entryUnused(in parent: FileNumber, _ name: Name, child: FileNumber) {}
    func attributesChanged(of number: FileNumber) {}
    func contentChanged(of number: FileNumber) {}
    func renumbered(_ old: FileNumber, to new: FileNumber) {
        told.withLock { $0[old] = new }
    }
}
