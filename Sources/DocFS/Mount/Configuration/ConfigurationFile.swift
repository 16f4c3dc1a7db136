internal import Glibc
internal import TOMLKit

/// The configuration file: TOML, every option a key, the containers a table.
///
/// ```toml
/// settle = 0.5
/// cache-limit = "20G"
/// refresh = "pinned"
/// scratch = ["*.bak"]
/// never-fetch = ["my-indexer"]
///
/// [cloud]
/// Work = "file:///srv/work"
///
/// [retention]
/// days = 30
/// versions = 10
///
/// [types.note]
/// extension = "md"
/// name = "Note"
/// naming = "sequential"
/// conflicts = "merge"
/// ```
package enum ConfigurationFile {
    /// Reads the file at `path`; `nil` when there is none.
    package static func settings(atPath path: String) throws(ConfigurationError) -> MountSettings? {
        let bytes: [UInt8]
        do throws(DocFSError) {
            bytes = try Posix.contents(ofPath: path)
        } catch .notFound {
            return nil
        } catch {
            throw ConfigurationError("\(path): cannot be read: \(error.sentence)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ConfigurationError("\(path): is not UTF-8 text")
        }
        return try settings(text: text, path: path)
    }

    /// Reads a file's text; `path` stands in the messages.
    package static func settings(text: String, path: String) throws(ConfigurationError)
        -> MountSettings
    {
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(
                "\(path):\(error.source.begin.line): \(error.description)")
        } catch {
            throw ConfigurationError("\(path): \(error)")
        }
        var settings = MountSettings()
        for name in table.keys {
            do throws(ConfigurationError) {
                try read(name, table[name], into: &settings)
            } catch {
                let line = ConfigurationLines.line(ofKey: name, in: text)
                throw ConfigurationError("\(path):\(line): \(error)")
            }
        }
        return settings
    }

    private static func read(
        _ name: String, _ value: (any TOMLValueConvertible)?, into settings: inout MountSettings
    ) throws(ConfigurationError) {
        guard let key = MountSettings.Key(rawValue: name) else {
            throw ConfigurationError("unknown key '\(name)'")
        }
        switch key {
        case .cloud:
            guard let table = value?.table else {
                throw ConfigurationError("cloud is a table of NAME = \"URL\"")
            }
            settings.containers = try containers(table)
        case .scratch:
            for rule in try list(value, "scratch is a list of patterns") {
                try settings.set(key, try scalar(rule, name))
            }
        case .neverFetch:
            for program in try list(value, "never-fetch is a list of programs") {
                try settings.set(key, try scalar(program, name))
            }
        case .retention:
            guard let table = value?.table else {
                throw ConfigurationError("retention is a table with days and versions")
            }
            try readRetention(table, into: &settings)
        case .types:
            guard let table = value?.table else {
                throw ConfigurationError("types is a table of document types, as [types.note]")
            }
            settings.types = try types(table)
        default: try settings.set(key, try scalar(value, name))
        }
    }

    private static func list(_ value: (any TOMLValueConvertible)?, _ complaint: String)
        throws(ConfigurationError) -> [any TOMLValueConvertible]
    {
        guard let list = value?.array else { throw ConfigurationError(complaint) }
        return Array(list)
    }

    private static func readRetention(_ table: TOMLTable, into settings: inout MountSettings)
        throws(ConfigurationError)
    {
        for name in table.keys {
            let key = "retention.\(name)"
            let text = try scalar(table[name], key)
            switch name {
            case "days": settings.retention = try ValueText.days(text, key)
            case "versions": settings.keptVersions = try ValueText.count(text, key)
            default: throw ConfigurationError("unknown key '\(key)'")
            }
        }
    }

    private static func types(_ table: TOMLTable) throws(ConfigurationError) -> [DocumentType] {
        var types: [DocumentType] = []
        for key in table.keys.sorted() {
            guard let members = table[key]?.table else {
                throw ConfigurationError("types.\(key) is not a table")
            }
            var type = DocumentType(key: key, ending: "", name: nil, naming: .sequential)
            for member in members.keys {
                let path = "types.\(key).\(member)"
                let text = try scalar(members[member], path)
                switch member {
                case "extension": type.ending = try ValueText.fileName(text, path)
                case "name": type.name = try ValueText.fileName(text, path)
                case "mime": type.mime = try ValueText.mediaType(text, path)
                case "naming": type.naming = try ValueText.naming(text, path)
                case "conflicts": type.conflicts = try ValueText.strategy(text, path)
                default: throw ConfigurationError("unknown key '\(path)'")
                }
            }
            types.append(type)
        }
        return types
    }

    private static func containers(_ table: TOMLTable) throws(ConfigurationError)
        -> [ContainerAddress]
    {
        var containers: [ContainerAddress] = []
        for name in table.keys {
            guard let url = table[name]?.string else {
                throw ConfigurationError("cloud.\(name) is not a text with an address")
            }
            containers.append(try ContainerAddress(name: name, url: url))
        }
        return containers
    }

    /// A value as the command line would have it.
    private static func scalar(_ value: (any TOMLValueConvertible)?, _ name: String)
        throws(ConfigurationError) -> String
    {
        if let text = value?.string { return text }
        if let truth = value?.bool { return truth ? "true" : "false" }
        if let number = value?.int { return String(number) }
        if let number = value?.double { return String(number) }
        throw ConfigurationError("\(name) is neither a text, a number, true nor false")
    }
}
