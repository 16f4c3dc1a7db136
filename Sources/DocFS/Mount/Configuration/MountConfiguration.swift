package import Logging

/// Everything that one mount is told, whole: command line over file over defaults.
package struct MountConfiguration: Sendable {
    /// Absolute; not yet resolved.
    package let mountPoint: String
    /// The plain directory behind `Local/`: absolute.
    package let local: String
    /// At least one, names all different.
    package let containers: [ContainerAddress]
    /// This device's state: absolute.
    package let state: String
    package let device: String
    /// Quiet time after the last close before an edit is sent.
    package let settle: Duration
    /// How often a store without push is asked for changes.
    package let poll: Duration
    /// Downloaded bytes kept before the least recently used are evicted.
    package let cacheLimit: UInt64
    /// Which newer bodies are brought before they are shown.
    package let fetchFirst: FetchFirst
    /// How long a read may wait without one byte of progress.
    package let deadline: Duration
    /// How long the end, and the computer's sleep, may wait for what is being sent.
    package let farewell: Duration
    package let allowsOthers: Bool
    /// Whether documents may travel to other computers for all on the way to read.
    package let allowsPlainHTTP: Bool
    package let isReadOnly: Bool
    /// Whether the kernel may read and write files by itself, where it can.
    package let passesThrough: Bool
    package let isDaemon: Bool
    package let logLevel: Logger.Level
    /// Absolute; standard error where there is none.
    package let logFile: String?
    /// Beside the built-in ones (S15).
    package let scratchRules: [String]
    /// Programs beside the known ones that never fetch (S10).
    package let indexers: [String]
    /// How long a container keeps what was deleted or replaced.
    package let retention: Duration
    /// So many earlier versions of a document are kept however old they are.
    package let keptVersions: Int
    /// What `docfs new` makes (S27), by their keys.
    package let types: [DocumentType]

    /// Completes `settings`.
    ///
    /// `mountPoint` may be relative to the working directory.
    package init(
        mountPoint: String, settings: MountSettings, surroundings: Surroundings
    ) throws(ConfigurationError) {
        let data = surroundings.dataHome + "/docfs/"
        self.mountPoint = surroundings.absolute(mountPoint)
        local = surroundings.absolute(settings.local ?? data + "Local")
        let containers =
            settings.containers ?? [
                ContainerAddress(name: ContainerAddress.defaultName, folder: data + "Cloud")
            ]
        self.containers = containers.map { $0.resolved(surroundings.absolute) }
        allowsPlainHTTP = settings.allowsPlainHTTP ?? false
        let stateName = MountPointName.escaped(self.mountPoint)
        state = surroundings.absolute(
            settings.state ?? surroundings.stateHome + "/docfs/" + stateName)
        device = settings.device ?? surroundings.hostName
        settle = settings.settle ?? .seconds(1)
        poll = settings.poll ?? .seconds(5)
        cacheLimit = settings.cacheLimit ?? 10 << 30
        fetchFirst = settings.fetchFirst ?? .here
        deadline = settings.deadline ?? .seconds(30)
        farewell = settings.farewell ?? .seconds(5)
        allowsOthers = settings.allowsOthers ?? false
        isReadOnly = settings.isReadOnly ?? false
        passesThrough = settings.passesThrough ?? true
        isDaemon = settings.isDaemon ?? false
        logLevel = settings.logLevel ?? .info
        logFile = settings.logFile.map(surroundings.absolute) ?? (isDaemon ? state + "/log" : nil)
        scratchRules = settings.scratchRules ?? []
        indexers = settings.indexers ?? []
        retention = settings.retention ?? .seconds(30 * 86_400)
        keptVersions = settings.keptVersions ?? 10
        types = settings.types ?? []
        try check()
    }

    /// Where the configuration file is looked for when none is named.
    package static func defaultFile(_ surroundings: Surroundings) -> String {
        surroundings.configurationHome + "/docfs/config.toml"
    }

    private func check() throws(ConfigurationError) {
        var names: Set<Name> = []
        for container in containers where !names.insert(container.name).inserted {
            throw ConfigurationError("two containers are named '\(container.name)'")
        }
        if deadline == .zero { throw ConfigurationError("deadline: must be more than 0") }
        if poll == .zero { throw ConfigurationError("poll: must be more than 0") }
        for case .s3(let address) in containers.map(\.place)
        where !allowsPlainHTTP && !address.endpoint.isSecure && !address.endpoint.isLoopback {
            throw ConfigurationError(
                "\(address.endpoint) is not encrypted: https:// is, and --allow-plain-http "
                    + "goes without")
        }
        // Served from below itself the mount would wait for itself.
        for path in [local, state] + containers.compactMap(\.folder) {
            if isPath(path, atOrBelow: mountPoint) || isPath(mountPoint, atOrBelow: path) {
                throw ConfigurationError("\(path) and the mount point lie one in the other")
            }
        }
    }

    private func isPath(_ path: String, atOrBelow other: String) -> Bool {
        path == other || other == "/" || path.hasPrefix(other + "/")
    }
}
