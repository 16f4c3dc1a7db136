package import Logging

/// What one source of configuration says: the command line, `-o`, or the file.
///
/// What it does not say is `nil`, and left to the next source.
///
/// Every option has one key and one way to be read from text, whatever source it comes from.
package struct MountSettings: Sendable {
    /// The keys of the configuration file and of `-o KEY=VALUE`; the long options bear the same
    /// names.
    package enum Key: String, CaseIterable, Sendable {
        case local, cloud, state, device, settle, poll, deadline, farewell, daemon, scratch
        case passthrough, refresh, retention, types
        case cacheLimit = "cache-limit"
        case allowOther = "allow-other"
        case allowPlainHTTP = "allow-plain-http"
        case readOnly = "read-only"
        case logLevel = "log-level"
        case logFile = "log-file"
        case neverFetch = "never-fetch"
    }

    package var local: String?
    package var containers: [ContainerAddress]?
    package var state: String?
    package var device: String?
    package var settle: Duration?
    package var poll: Duration?
    package var deadline: Duration?
    package var farewell: Duration?
    /// Bytes.
    package var cacheLimit: UInt64?
    /// Which newer bodies are brought before they are shown (S9).
    package var fetchFirst: FetchFirst?
    package var isDaemon: Bool?
    package var allowsOthers: Bool?
    package var allowsPlainHTTP: Bool?
    package var isReadOnly: Bool?
    package var passesThrough: Bool?
    package var logLevel: Logger.Level?
    package var logFile: String?
    /// Rules beside the built-in ones for names that stay on this device (S15).
    package var scratchRules: [String]?
    /// Programs beside the known ones that never fetch a document (S10).
    package var indexers: [String]?

    /// How long a container keeps deleted documents and earlier versions, and how many of these
    /// at least.
    package var retention: Duration?
    package var keptVersions: Int?
    /// What `docfs new` makes (S27).
    package var types: [DocumentType]?

    package init() {}

    /// These settings, and `other`'s where these are silent.
    package func over(_ other: MountSettings) -> MountSettings {
        var result = self
        result.local = local ?? other.local
        result.containers = containers ?? other.containers
        result.state = state ?? other.state
        result.device = device ?? other.device
        result.settle = settle ?? other.settle
        result.poll = poll ?? other.poll
        result.deadline = deadline ?? other.deadline
        result.farewell = farewell ?? other.farewell
        result.cacheLimit = cacheLimit ?? other.cacheLimit
        result.fetchFirst = fetchFirst ?? other.fetchFirst
        result.isDaemon = isDaemon ?? other.isDaemon
        result.allowsOthers = allowsOthers ?? other.allowsOthers
        result.allowsPlainHTTP = allowsPlainHTTP ?? other.allowsPlainHTTP
        result.isReadOnly = isReadOnly ?? other.isReadOnly
        result.passesThrough = passesThrough ?? other.passesThrough
        result.logLevel = logLevel ?? other.logLevel
        result.logFile = logFile ?? other.logFile
        result.scratchRules = scratchRules ?? other.scratchRules
        result.indexers = indexers ?? other.indexers
        result.retention = retention ?? other.retention
        result.keptVersions = keptVersions ?? other.keptVersions
        result.types = types ?? other.types
        return result
    }

    /// Reads one value.
    ///
    /// `cloud`, `scratch` and `never-fetch` may come several times and add up.
    package mutating func set(_ key: Key, _ text: String) throws(ConfigurationError) {
        switch key {
        case .local: local = try ValueText.path(text, key.rawValue)
        case .cloud: containers = (containers ?? []) + [try ContainerAddress(text: text)]
        case .state: state = try ValueText.path(text, key.rawValue)
        case .device: device = try ValueText.device(text)
        case .settle: settle = try ValueText.seconds(text, key.rawValue)
        case .poll: poll = try ValueText.seconds(text, key.rawValue)
        case .deadline: deadline = try ValueText.seconds(text, key.rawValue)
        case .farewell: farewell = try ValueText.seconds(text, key.rawValue)
        case .cacheLimit: cacheLimit = try ValueText.size(text, key.rawValue)
        case .refresh: fetchFirst = try ValueText.fetchFirst(text)
        case .daemon: isDaemon = try ValueText.truth(text, key.rawValue)
        case .allowOther: allowsOthers = try ValueText.truth(text, key.rawValue)
        case .allowPlainHTTP: allowsPlainHTTP = try ValueText.truth(text, key.rawValue)
        case .readOnly: isReadOnly = try ValueText.truth(text, key.rawValue)
        case .passthrough: passesThrough = try ValueText.passthrough(text)
        case .logLevel: logLevel = try ValueText.level(text)
        case .logFile: logFile = try ValueText.path(text, key.rawValue)
        case .scratch:
            scratchRules = (scratchRules ?? []) + [try ValueText.namePattern(text, key.rawValue)]
        case .neverFetch: indexers = (indexers ?? []) + [text]
        case .retention, .types:
            throw ConfigurationError("\(key.rawValue) is a table of the configuration file")
        }
    }
}
