internal import Glibc

/// Everything below some paths, in the order of names, directories before what is in them.
///
/// Lists only: no document is fetched.
struct Walk {
    /// What was found, and how its path is to be told: beginning as the user began it.
    struct Item {
        let path: String
        let name: String
        let isDirectory: Bool

        /// All that is known of it, asked for now.
        func report() throws -> DocumentReport {
            try DocumentReport(path, as: ByteText.encoded(name))
        }
    }

    /// Calls `visit` for each; its answer says whether to go into a directory.
    ///
    /// What cannot be listed is told and passed over.
    static func each(
        _ path: String, as name: String, _ complaints: Complaints,
        _ visit: (Item) throws -> Bool
    ) throws {
        try visitAll(
            [Item(path: path, name: name, isDirectory: Files.isDirectory(path))],
            complaints, visit)
    }

    private static func visitAll(
        _ items: [Item], _ complaints: Complaints, _ visit: (Item) throws -> Bool
    ) throws {
        for item in items {
            try Interruption.check()
            guard try visit(item), item.isDirectory else { continue }
            do {
                let slash = item.name.isEmpty || item.name.hasSuffix("/") ? "" : "/"
                let inner = try Files.entries(of: item.path).map {
                    Item(
                        path: item.path + "/" + $0.name, name: item.name + slash + $0.name,
                        isDirectory: $0.isDirectory)
                }
                try visitAll(inner, complaints, visit)
            } catch let failure as Failure {
                complaints.add(failure)
            }
        }
    }
}
