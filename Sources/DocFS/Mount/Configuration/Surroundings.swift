internal import Glibc

/// What defaults depend on: the environment, passed in so that tests have their own.
package struct Surroundings: Sendable {
    package var variables: [String: String]
    package var workingDirectory: String
    /// The user's home where `HOME` does not tell it.
    package var home: String
    package var hostName: String

    package init(
        variables: [String: String], workingDirectory: String, home: String, hostName: String
    ) {
        self.variables = variables
        self.workingDirectory = workingDirectory
        self.home = home
        self.hostName = hostName
    }

    /// Those of this process.
    package static func current() -> Surroundings {
        var variables: [String: String] = [:]
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] {
            if let value = getenv(name) { variables[name] = String(cString: value) }
        }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let directory = getcwd(&buffer, buffer.count).map { String(cString: $0) } ?? "/"
        let home = getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count - 1)
        let name = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        return Surroundings(
            variables: variables, workingDirectory: directory, home: home, hostName: name)
    }

    /// `$XDG_DATA_HOME` (XDG Base Directory Specification: a relative one is ignored).
    package var dataHome: String { base("XDG_DATA_HOME", below: ".local/share") }
    package var stateHome: String { base("XDG_STATE_HOME", below: ".local/state") }
    package var configurationHome: String { base("XDG_CONFIG_HOME", below: ".config") }

    private func base(_ name: String, below path: String) -> String {
        if let value = variables[name], value.hasPrefix("/") { return value }
        return homeDirectory + "/" + path
    }

    private var homeDirectory: String {
        if let value = variables["HOME"], value.hasPrefix("/") { return value }
        return home
    }

    /// `path` from the root on, without `.`, doubled slashes and a slash at the end.
    ///
    /// `..` stays, since what it means depends on symbolic links.
    package func absolute(_ path: String) -> String {
        var path = path
        if path == "~" || path.hasPrefix("~/") { path = homeDirectory + path.dropFirst() }
        if !path.hasPrefix("/") { path = workingDirectory + "/" + path }
        let parts = path.split(separator: "/").filter { $0 != "." }
        return "/" + parts.joined(separator: "/")
    }
}
