internal import Glibc
package import Logging
internal import Synchronization

/// Builds everything between the state directory and the kernel's front.
package struct Composer {
    let configuration: MountConfiguration
    let state: StateDirectory
    let invalidator: any KernelInvalidator
    let log: Logger
    let clock = SystemClock()

    /// The whole of it, for ``MountService``: scopes are attached in the background, so that the
    /// mount answers from what is known (S12).
    package static func compose(
        _ configuration: MountConfiguration, _ state: StateDirectory, _ invalidator: Invalidator,
        _ log: Logger
    ) throws(MountFailure) -> MountService.Composition {
        let composer = Composer(
            configuration: configuration, state: state, invalidator: invalidator, log: log)
        do {
            Posix.raiseFileLimit()
            try state.checkCatalog()
            let plain = try composer.directory(at: configuration.local)
            let (catalog, device, isCopy) = try composer.openCatalog(plain)
            return try composer.compose(plain, catalog, device, isCopy: isCopy)
        } catch let error as DocFSError {
            throw MountFailure("state directory \(state.path): \(error.sentence)")
        } catch let error as MountFailure {
            throw error
        } catch {
            throw MountFailure("\(error)")
        }
    }

    private func compose(
        _ plain: Descriptor, _ catalog: Catalog, _ id: DeviceID, isCopy: Bool
    ) throws(DocFSError) -> MountService.Composition {
        let device = currentDevice(id, catalog)
        let hidden = try HiddenFolder(in: plain, of: id)
        let lost = LostCatalog(state: state.directory, hidden: hidden)
        // What cannot tell any more which containers it knew makes none where one is away.
        let makesContainers = try !lost.isKept()
        let contents = try contents(catalog, hidden)
        if isCopy { try contents.leaveToOriginal() }
        let local = try LocalScope(
            root: plain, hidden: HiddenFolder.name, invalidator: invalidator)
        let handles = OpenFiles()
        let sights = Sights()
        let transfers = try Transfers(
            local: local, catalog: catalog, contents: contents, hidden: hidden,
            handles: handles, invalidator: invalidator, clock: clock)
        contents.setObserver(
            CloudTreeObserver(invalidator: invalidator, sights: sights) { _ in
                transfers.lookAgain()
            })
        var clouds: [CloudScope] = []
        var engines: [SyncEngine] = []
        let readers = KnownReaders(indexers: configuration.indexers)
        let scratch = Scratch(patterns: configuration.scratchRules)
        for address in configuration.containers {
            let scope = try scopeRecord(address, catalog)
            let engine = try engine(
                scope, address, catalog, contents, device, scratch,
                makesContainers: makesContainers)
            contents.setSource(engine, scope: scope.id)
            clouds.append(
                CloudScope(
                    scope: scope, catalog: catalog, contents: contents, handles: handles,
                    sights: sights, clock: clock, readers: readers, scratch: scratch,
                    onVisit: { engine.noteVisit(to: $0) }))
            engines.append(engine)
        }
        let namespace = Namespace(
            local: local, clouds: clouds, catalog: catalog, transfers: transfers,
            owner: getuid(), group: getgid(), born: clock.wallTime())
        let salvage = try salvage(clouds, lost, catalog, contents)
        try transfers.recover(clouds) { warn(ofMove: $0) }
        startBackground(plain, local, catalog, contents, transfers)
        salvage.start()
        for engine in engines { Task { await engine.start() } }
        let farewell = Farewell(contents, engines, time: configuration.farewell, log: log)
        let control = try control(catalog, contents, engines, farewell)
        followPower(contents) { farewell.say(isPause: true, control.status) }
        return MountService.Composition(
            namespace: namespace, control: control,
            farewell: { farewell.say(isPause: false, control.status) },
            hasten: { farewell.time = .zero }
        ) { [log, engines] in
            Composer.stop(engines)
            Composer.leave(contents, catalog, log)
        }
    }

    private func control(
        _ catalog: Catalog, _ contents: Contents, _ engines: [SyncEngine], _ farewell: Farewell
    ) throws(DocFSError) -> ControlDirectory {
        let keeper = ContentKeeper(
            contents, limit: configuration.cacheLimit, worker: WorkPool(name: "keeper", limit: 1),
            sleeper: WorkPool(name: "keeper-later", limit: 1))
        keeper.start()
        return try ControlDirectory(
            settings: ControlSettings(
                mountPoint: configuration.mountPoint, state: state.path,
                device: configuration.device, scopes: engines.map(\.scopeID),
                stores: configuration.containers.map(\.text), escapes: escapes(engines),
                owner: getuid(), group: getgid(),
                born: clock.wallTime(), deadline: configuration.deadline,
                types: configuration.types),
            catalog: catalog,
            documents: DocumentCare(
                contents: contents, engines: engines, keeper: keeper, end: farewell),
            bodies: EarlierBodies(contents: contents, engines: engines),
            invalidator: invalidator,
            wallTime: { [clock] in clock.wallTime() }, groups: Posix.groups)
    }

    /// What names begin with that are none of the store's own (S30).
    private func escapes(_ engines: [SyncEngine]) -> [Int64: [Name]] {
        var escapes: [Int64: [Name]] = [:]
        for (engine, address) in zip(engines, configuration.containers) {
            if case .s3 = address.place { escapes[engine.scopeID] = S3Name.marks }
        }
        return escapes
    }

    private func warn(ofMove error: DocFSError) {
        log.warning("a move could not be finished yet: \(error.sentence)")
    }

    /// What goes on beside requests for as long as the daemon runs.
    private func startBackground(
        _ plain: Descriptor, _ local: LocalScope, _ catalog: Catalog, _ contents: Contents,
        _ transfers: Transfers
    ) {
        transfers.lookAgain()
        LocalWatch(
            root: plain, hidden: HiddenFolder.name, bulletin: catalog.bulletin,
            crossings: transfers.crossings, clock: clock,
            settle: configuration.settle.nanoseconds, log: log
        ).start()
        OwnThread.start(name: "local-watch") {
            while true {
                local.checkOpenFiles()
                usleep(400_000)
            }
        }
        contents.sweep()
        ConflictSettler(
            catalog, mountPoint: configuration.mountPoint, types: configuration.types, log: log
        ).start()
    }

    /// A container of another layout, or with a damaged marker, is told of at the start, where
    /// somebody reads the message: it stays offline, and the mount starts without it (S12).
    private func warnOfOtherLayout(_ address: ContainerAddress) {
        // A server is asked in the background, however slow it is: `status` tells.
        guard let folder = address.folder else { return }
        let container = Container(
            store: FolderStore(path: folder, most: .none),
            device: DeviceID(high: 0, low: 0), deviceName: configuration.device)
        let verdict = Mutex<DocFSError?>(nil)
        let done = Monitor(false)
        let task = Task {
            do throws(DocFSError) {
                try await container.store.attach(create: false)
                _ = try await container.marker()
            } catch {
                verdict.withLock { $0 = error }
            }
            done.withLock { $0 = true }
        }
        if done.wait(nanoseconds: 1_500_000_000, until: { $0 ? $0 : nil }) == nil {
            task.cancel()
        }
        if case .corrupt(let reason)? = verdict.withLock({ $0 }) {
            log.error("\(address.name) stays offline: container \(folder): \(reason)")
        }
    }

    /// A directory of the configuration, made with its parents when it is missing.
    func directory(at path: String) throws(DocFSError) -> Descriptor {
        try Posix.makeDirectories(path: path, mode: 0o700)
        return try Posix.open(path: path, flags: O_RDONLY | O_DIRECTORY)
    }

    private func scopeRecord(_ address: ContainerAddress, _ catalog: Catalog)
        throws(DocFSError) -> ScopeRecord
    {
        let name = address.name.description
        let now = clock.wallTime()
        let record = try catalog.write { (write) throws(DocFSError) in
            if let known = try write.read.scopes().first(where: { $0.name == name }) {
                return known
            }
            return try write.addScope(named: name, owner: getuid(), group: getgid(), at: now)
        }
        // A known container is not asked before the mount answers: `status` tells what is wrong.
        if record.container == nil { warnOfOtherLayout(address) }
        return record
    }

    private func engine(
        _ scope: ScopeRecord, _ address: ContainerAddress, _ catalog: Catalog,
        _ contents: Contents, _ device: CurrentDevice, _ scratch: Scratch, makesContainers: Bool
    ) throws(DocFSError) -> SyncEngine {
        let isAsked = try NewContainers.isAsked(of: scope.name, catalog)
        return SyncEngine(
            scope: scope, catalog: catalog,
            container: try container(at: address, device),
            replica: contents,
            settings: SyncSettings(
                deviceName: configuration.device,
                settle: configuration.settle.nanoseconds, poll: configuration.poll.nanoseconds,
                owner: getuid(), group: getgid(),
                retention: Retention(
                    time: configuration.retention.nanoseconds,
                    versions: configuration.keptVersions),
                fetchFirst: configuration.fetchFirst,
                makesContainers: makesContainers || isAsked, scratch: scratch,
                mounted: Set(configuration.containers.map(\.name.description))),
            clock: clock, executor: ThreadExecutor(name: "sync-\(address.name)"),
            random: SystemRandomNumberGenerator(), log: log)
    }
}

extension Duration {
    /// Whole nanoseconds, at most what fits.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds / 1_000_000_000))
    }
}
