internal import Glibc

/// A path inside a mount, as the user named it; what it names need not be there.
struct Place {
    let mount: Mount
    /// As the user wrote it, for messages.
    let name: String
    /// Absolute, through the mount.
    ///
    /// A symbolic link in a scope is meant itself.
    let path: String

    /// Names from the mount's root on: the scope first.
    var components: [String] {
        path.dropFirst(mount.point.count).split(separator: "/").map(String.init)
    }

    /// The scope, and `true` when the path is the scope's own directory.
    var scope: String? { components.first }
    var isScope: Bool { components.count == 1 }

    /// From the mount's root on; empty for the root.
    var inner: String { components.joined(separator: "/") }

    /// Whether it is a mount or one of its scopes.
    var isWhole: Bool { components.count <= 1 }

    /// Whether an absolute path is it, or is below it.
    func contains(_ path: String) -> Bool { (path + "/").hasPrefix(self.path + "/") }

    /// The directories between its scope and it, from the top.
    var above: [Walk.Item] {
        let names = components.dropFirst().dropLast()
        return names.indices.map { index in
            let path = ([mount.point] + components[...index]).joined(separator: "/")
            return Walk.Item(path: path, name: path, isDirectory: true)
        }
    }

    init(_ name: String) throws {
        let table = try MountTable.current()
        let meant = try Self.absolute(name)
        if let entry = table.entry(of: meant), entry.isDocFS {
            self.init(mount: Mount(point: entry.point), name: name, path: meant)
            return
        }
        // A link from elsewhere into the mount. What leads nowhere is in none.
        if let real = try? Files.real(meant), let entry = table.entry(of: real), entry.isDocFS {
            self.init(mount: Mount(point: entry.point), name: name, path: real)
            return
        }
        throw Failure("\(name): is not in a mount of DocFS")
    }

    init(mount: Mount, name: String, path: String) {
        self.mount = mount
        self.name = name
        self.path = path
    }

    /// Without links in what leads there, as far as that exists.
    private static func absolute(_ name: String) throws -> String {
        if name.isEmpty { throw Failure("an empty path") }
        let full = name.hasPrefix("/") ? name : try Files.currentDirectory() + "/" + name
        var parts = full.split(separator: "/").map(String.init)
        guard let last = parts.popLast() else { return "/" }
        if last == "." || last == ".." { return try Files.real(full) }
        let parent = "/" + parts.joined(separator: "/")
        // What is not there yet, or does not answer, is taken by its name below what is.
        let real = try (try? Files.real(parent)) ?? absolute(parent)
        return real == "/" ? "/" + last : real + "/" + last
    }

    /// This place's directory and name below one of `.docfs`'s trees, `versions` or `trash`.
    func control(_ tree: String) -> String { mount.control(tree + "/" + inner) }

    /// Fails unless it is in a cloud scope.
    func inCloud() throws -> Place {
        guard let scope else { throw Failure("\(name): is the mount itself, name a document") }
        if scope == "Local" {
            throw Failure("\(name): is a document of this computer, not of a container")
        }
        return self
    }

    /// The same, and the mount itself will do.
    func inCloudOrMount() throws -> Place { components.isEmpty ? self : try inCloud() }

    /// A name in the same directory.
    func beside(_ other: String) -> String {
        path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" + other
    }

    /// The last name.
    var last: String { components.last ?? "" }
}
