internal import Synchronization

/// Moves between `Local/` and cloud scopes (S24, S25), answered at once and finished in the
/// background.
///
/// **In** (from `Local/`): the file is renamed into the hidden folder on its own filesystem and
/// becomes the content of a new row, so nothing is copied and open handles stay right. An `import`
/// row, written first, lets a restart finish what a crash interrupted.
///
/// **Out** (to `Local/`): the row loses its name in the cloud scope and becomes an `incoming` entry
/// of the directory on disk: shown there, still served from the catalog. ``Arrivals`` brings its
/// bytes here, puts the file into the plain directory and drops the row; then the store's copy is
/// deleted like any that was deleted here (S19).
package final class Transfers: Sendable {
    /// The arguments of one rename(2).
    struct Move {
        let name: Name
        let parent: FileNumber
        let newName: Name
        let newParent: FileNumber
        let mode: RenameMode
        let caller: Caller
    }

    let local: LocalScope
    let catalog: Catalog
    let contents: Contents
    let hidden: HiddenFolder
    let invalidator: any KernelInvalidator
    let clock: any SyncClock
    /// Whose daemon this is.
    var user: UInt32 { local.daemonUser }
    let handles: OpenFiles
    let arrivals: Arrivals
    /// For who watches `Local/`.
    package let crossings = Crossings()
    let workers: any Workers
    /// For what programs make in directories that have moved in.
    let lateWorkers: any Workers
    /// For conflict versions that follow their documents.
    let linkWorkers: any Workers
    /// Such directories, by their rows.
    let late = Mutex<[Int64: LateDirectory]>([:])
    let clouds = Mutex<[CloudScope]>([])
    let relinking = Mutex(Relinking())
    /// - Parameter workers: one thread, which brings documents to `Local/`.
    package init(
        local: LocalScope, catalog: Catalog, contents: Contents, hidden: HiddenFolder,
        handles: OpenFiles, invalidator: any KernelInvalidator, clock: any SyncClock,
        workers: any Workers = WorkPool(name: "arrivals", limit: 1),
        lateWorkers: any Workers = WorkPool(name: "late", limit: 1),
        linkWorkers: any Workers = WorkPool(name: "links", limit: 1)
    ) throws(DocFSError) {
        self.local = local
        self.catalog = catalog
        self.contents = contents
        self.hidden = hidden
        self.invalidator = invalidator
        self.clock = clock
        self.handles = handles
        self.workers = workers
        self.lateWorkers = lateWorkers
        self.linkWorkers = linkWorkers
        arrivals = Arrivals()
    }

    // MARK: What a directory of Local shows beside what is on disk

    /// Nearly always nothing is on its way, and then no listing or lookup in `Local/` asks the
    /// catalog.
    var hasIncoming: Bool { catalog.hasIncoming }

    /// The incoming row that `name` shows in a directory of `Local/`.
    func incoming(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LocalItem? {
        guard hasIncoming else { return nil }
        return try incoming(in: parent).first { $0.name == name }
    }

    /// All incoming rows of a directory of `Local/`.
    func incoming(in parent: FileNumber) throws(DocFSError) -> [LocalItem] {
        guard hasIncoming else { return [] }
        let place = try diskPlace(Name(""), in: parent)
        return try catalog.read { (read) throws(DocFSError) in
            var rows: [LocalItem] = []
            for (name, ino) in try read.incoming(device: place.device, inode: place.inode) {
                guard var row = try read.local(ino) else { continue }
                row.name = name
                rows.append(row)
            }
            return rows
        }
    }

    /// How many directories are on their way into a directory of `Local/` and not on disk yet.
    func incomingDirectories(in parent: FileNumber) throws(DocFSError) -> UInt32 {
        let directories = try incoming(in: parent).filter(\.isDirectory)
        if directories.isEmpty { return 0 }
        let folder = try local.descriptor(of: parent)
        var count: UInt32 = 0
        for row in directories
        where try Posix.statusIfPresent(at: folder.number, row.name.bytes) == nil {
            count += 1
        }
        return count
    }

    /// A name in a directory of `Local/`, as the catalog tells it.
    func diskPlace(_ name: Name, in parent: FileNumber) throws(DocFSError) -> DiskPlace {
        let folder = try local.descriptor(of: parent)
        let status = try Posix.status(of: folder.number)
        withExtendedLifetime(folder) {}
        return DiskPlace(of: status, name: name)
    }
}
