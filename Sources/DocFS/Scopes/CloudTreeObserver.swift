/// Carries what syncing changed to the kernel.
package final class CloudTreeObserver: LocalTreeObserver {
    private let invalidator: any KernelInvalidator
    private let sights: Sights
    private let departed: @Sendable (_ ino: Int64) -> Void

    /// - Parameter departed: is told that a document on its way to `Local/` may be brought there.
    package init(
        invalidator: any KernelInvalidator, sights: Sights,
        departed: @escaping @Sendable (_ ino: Int64) -> Void
    ) {
        self.invalidator = invalidator
        self.sights = sights
        self.departed = departed
    }

    package func entryChanged(parent: Int64, name: Name) {
        let directory = FileNumber(row: parent)
        invalidator.entryChanged(in: directory, name)
        invalidator.attributesChanged(of: directory)
    }

    package func unlinked(parent: Int64, name: Name, ino: Int64) {
        let directory = FileNumber(row: parent)
        invalidator.entryRemoved(in: directory, name, child: FileNumber(row: ino))
        invalidator.attributesChanged(of: directory)
    }

    package func described(ino: Int64) {
        invalidator.attributesChanged(of: FileNumber(row: ino))
    }

    package func replaced(item: ItemID, basis: Revision, shown: Revision?, by ino: Int64) {
        sights.outdate(item, basis, by: shown, unless: ino)
    }

    package func unused(parent: Int64, name: Name, ino: Int64) {
        invalidator.entryUnused(
            in: FileNumber(row: parent), name, child: FileNumber(row: ino))
    }

    package func departureReady(ino: Int64) { departed(ino) }
}
