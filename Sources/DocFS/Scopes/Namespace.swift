internal import Glibc
internal import Synchronization

/// The whole tree of the mount: the root with its scopes, and behind each of them the scope that
/// answers.
///
/// Moves across scopes are made by ``Transfers``.
///
/// Called synchronously from many of libfuse's threads; nothing here waits for a store, except
/// reads by ``PendingRead``. `.docfs` is not here: the front asks the Control room.
package final class Namespace: Sendable {
    let local: LocalScope
    let roots: [ScopeRoot]
    let catalog: Catalog
    let transfers: Transfers
    /// Whom the root belongs to, and since when it is there.
    private let owner: UInt32
    private let group: UInt32
    private let born: Timestamp
    /// Seconds for which the kernel may answer for what only we change; invalidated exactly.
    static let longValidity = 86_400.0

    /// - Parameter clouds: the cloud scopes in the order of the configuration.
    package init(
        local: LocalScope, clouds: [CloudScope], catalog: Catalog, transfers: Transfers,
        owner: UInt32, group: UInt32, born: Timestamp
    ) {
        self.local = local
        self.catalog = catalog
        self.transfers = transfers
        self.owner = owner
        self.group = group
        self.born = born
        roots =
            [ScopeRoot(name: "Local", number: local.root, cloud: nil)]
            + clouds.map {
                ScopeRoot(name: Name($0.name), number: $0.root, cloud: $0)
            }
    }

    /// The directory `Local/`.
    package var localRoot: FileNumber { local.root }

    // MARK: Who answers

    /// The cloud scope whose row this is.
    func cloud(of number: FileNumber) throws(DocFSError) -> CloudScope {
        guard number.isCatalogRow else { throw .stale }
        if roots.count == 2, let only = roots[1].cloud { return only }
        let row = try catalog.read { (read) throws(DocFSError) in
            try read.local(Int64(number.value))
        }
        guard let row else { throw .stale }
        for root in roots { if let cloud = root.cloud, cloud.id == row.scope { return cloud } }
        throw .stale
    }

    /// The cloud scope whose row this is, for a change.
    ///
    /// - Throws: `.readOnly` where its store takes none from this device.
    func cloud(changing number: FileNumber) throws(DocFSError) -> CloudScope {
        let scope = try cloud(of: number)
        try catalog.bulletin.refuseReadOnly(scope.id)
        return scope
    }

    /// Refuses changes of the mount's root (S1).
    func refuseRoot(_ number: FileNumber) throws(DocFSError) {
        if number == .root { throw .notPermitted }
    }

    // MARK: Looking

    package func lookup(_ name: Name, in parent: FileNumber) throws(DocFSError) -> LookupResult {
        if parent == .root {
            guard let root = roots.first(where: { $0.name == name }) else {
                return LookupResult(attributes: nil, validity: Self.longValidity)
            }
            return try attributes(of: root.number, through: nil)
        }
        if parent.isLocal {
            if let row = try transfers.incoming(name, in: parent) {
                return try cloud(of: row.number).attributes(of: row.number, through: nil)
            }
            return try asDisk { () throws(DocFSError) in try local.lookup(name, in: parent) }
        }
        return try cloud(of: parent).lookup(name, in: parent)
    }

    /// Asks the disk about a file of `Local/`.
    ///
    /// A directory counts the directories on their way into it among its links, and does not show
    /// the time that it has between an arrival in it and the end of that arrival; nor does a file
    /// show the second link that it has for that long.
    private func asDisk(_ ask: () throws(DocFSError) -> LookupResult) throws(DocFSError)
        -> LookupResult
    {
        let (mayLand, moment) = (transfers.hasIncoming, transfers.arrivals.moment)
        let found = try ask()
        guard let attributes = found.attributes, attributes.number.isLocal else { return found }
        if attributes.mode & UInt32(S_IFMT) == UInt32(S_IFDIR) {
            guard mayLand else { return found }
            var calm = try transfers.arrivals.whileNoneLands(ask)
            calm.attributes?.links += try transfers.incomingDirectories(in: attributes.number)
            return calm
        }
        guard attributes.links > 1, transfers.arrivals.hasLanded(since: moment) else {
            return found
        }
        return try transfers.arrivals.whileNoneLands(ask)
    }

    /// Makes a change of a row that counts: the row of what is on its way to `Local/` must not have
    /// been read for the last time just before.
    ///
    /// - Parameter body: asks `check` in the transaction that changes the row, and throws what that
    ///   throws; it is done once more then, while nothing lands.
    func changing<Value>(
        _ body: (_ check: (LocalItem) throws(DocFSError) -> Void) throws(DocFSError) -> Value
    ) throws(DocFSError) -> Value {
        var isOnItsWay = false
        do throws(DocFSError) {
            return try body { (row) throws(DocFSError) in
                isOnItsWay = row.isDeparting
                if isOnItsWay { throw .busy }
            }
        } catch .busy where isOnItsWay {}
        return try transfers.arrivals.whileNoneLands { () throws(DocFSError) in
            try body { _ in }
        }
    }

    /// The kernel now knows `number`.
    package func retain(_ number: FileNumber) {
        if number.isLocal {
            local.retain(number)
        } else if number.isCatalogRow {
            transfers.contents.retain(Int64(number.value))
        }
    }

    /// The kernel has forgotten `number` completely.
    package func forget(_ number: FileNumber) {
        if number.isLocal {
            local.forget(number)
        } else if number.isCatalogRow {
            transfers.contents.forget(Int64(number.value))
        }
    }

    package func attributes(of number: FileNumber, through file: OpenFile?) throws(DocFSError)
        -> LookupResult
    {
        if number == .root {
            return LookupResult(attributes: rootAttributes, validity: Self.longValidity)
        }
        if number.isLocal {
            return try asDisk { () throws(DocFSError) in
                try local.attributes(of: number, through: file)
            }
        }
        return try cloud(of: number).attributes(of: number, through: file)
    }

    private var rootAttributes: FileAttributes {
        FileAttributes(
            number: .root, mode: 0o040755, links: UInt32(2 + roots.count), owner: owner,
            group: group, size: 4096, blocks: 8, accessed: born, modified: born, changed: born)
    }

    package func setAttributes(
        of number: FileNumber, _ change: AttributeChange, through file: OpenFile?, caller: Caller
    ) throws(DocFSError) -> LookupResult {
        try refuseRoot(number)
        if number.isLocal {
            let moment = transfers.arrivals.moment
            let result = try local.setAttributes(of: number, change, through: file, caller: caller)
            guard let links = result.attributes?.links, links > 1,
                transfers.arrivals.hasLanded(since: moment)
            else { return result }
            // It is done, whatever became of the file since.
            return (try? attributes(of: number, through: file)) ?? result
        }
        // What is open for writing already is written on.
        let scope = try file == nil ? cloud(changing: number) : cloud(of: number)
        var (change, resize) = (change, AttributeChange())
        if change.size != nil {
            swap(&change.size, &resize.size)
            let result = try scope.setAttributes(
                of: number, resize, through: file, caller: caller)
            if change.isEmpty { return result }
        }
        return try changing { (check) throws(DocFSError) in
            try scope.setAttributes(
                of: number, change, through: file, caller: caller, check: check)
        }
    }

    package func readLink(_ number: FileNumber) throws(DocFSError) -> [UInt8] {
        if number == .root { throw .invalidArgument }
        if number.isLocal { return try local.readLink(number) }
        return try cloud(of: number).readLink(number)
    }

    package func statistics(of number: FileNumber) throws(DocFSError) -> FileSystemStatistics {
        if number == .root || number.isLocal {
            return try local.statistics(of: number == .root ? local.root : number)
        }
        return try cloud(of: number).statistics(of: number)
    }
}
