/// Directories that some program takes for one document, by their names (S26).
enum KnownPackage {
    /// Of bundles of documents, and of databases that are directories.
    private static let endings: Set<String> = [
        "app", "band", "bundle", "dtbase2", "fcpbundle", "graffle", "key", "logicx", "numbers",
        "oo3", "pages", "photoslibrary", "playground", "rtfd", "scriv", "sparsebundle", "wdgt",
        "xcodeproj", "xcworkspace",
    ]
    private static let names: Set<String> = [".bzr", ".git", ".hg", ".jj", ".svn"]

    /// So many are named of each container.
    private static let limit = 10

    private static func isOne(_ path: String) -> Bool {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        if names.contains(name) { return true }
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return false }
        return endings.contains(name[name.index(after: dot)...].lowercased())
    }

    /// A note for each one in the mount's containers; nothing for who may not ask.
    static func findings(in mount: Mount, _ status: MountStatus) throws -> [Finding] {
        var progress = Progress("looking for packages", .documents)
        defer { progress.clear() }
        let total = UInt64(status.scopes.reduce(0) { $0 + $1.documents })
        var looked: UInt64 = 0
        return try status.scopes.flatMap { (scope) throws -> [Finding] in
            var found: [String] = []
            let place = Place(
                mount: mount, name: scope.name, path: mount.point + "/" + scope.name)
            _ = try CatalogListing.each(below: place, names: []) { item, _ in
                looked += 1
                progress.show(min(looked, total), of: total)
                if item.isDirectory, isOne(item.path) { found.append(item.name) }
            }
            return notes(on: found)
        }
    }

    private static func notes(on found: [String]) -> [Finding] {
        let advice =
            "let one device at a time change it, or keep it in Local and an archive of it here"
        var notes = found.prefix(limit).map {
            Finding(
                .note,
                "\($0): is synchronised file by file: devices that change different files of it "
                    + "get a mixture", advice: advice)
        }
        if found.count > limit {
            notes.append(Finding(.note, "and \(found.count - limit) directories more like these"))
        }
        return notes
    }
}
