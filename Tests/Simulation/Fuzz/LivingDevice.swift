import DocFS

/// What runs of a device, whatever its threads, time and store are: what ``FuzzLook`` looks at.
protocol LivingDevice {
    var catalog: Catalog { get }
    var contents: Contents { get }
    var scope: CloudScope { get }
    var record: ScopeRecord { get }
    var engine: SyncEngine { get }
    var keeper: ContentKeeper? { get }
}

extension Daemon: LivingDevice {}
