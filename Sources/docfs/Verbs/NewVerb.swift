internal import ArgumentParser
internal import Glibc

/// `docfs new`: an empty document (S27).
struct NewVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make an empty document of a type, named by the type's rule.",
        discussion: """
            Prints the path of the new document; never touches one that is there. Types are tables \
            of the configuration file that docfs-mount reads:

              [types.note]
              extension = "md"
              name = "Note"
              naming = "sequential"       "Note 1.md", "Note 2.md"; or "timestamp", "uuid"
            """)

    @Argument(
        help: "A document type of the configuration.",
        completion: .custom { _, _, _ in
            // A shell asks, and can show no error.
            (try? Mount.only().status().types.map(\.type)) ?? []
        })
    var type: String

    @Argument(
        help: "Where. (default: the scope that docfs prefer names)", completion: .directory)
    var directory: String?

    func run() throws {
        let place = try directory.map { try Place($0) } ?? Self.preferred()
        let types = try place.mount.status().types
        guard let type = types.first(where: { $0.type == type }) else {
            let known = types.isEmpty ? "none" : types.map(\.type).joined(separator: ", ")
            throw Failure(
                "there is no document type '\(type)' (there are: \(known)); "
                    + "docfs new --help says how to make one")
        }
        Output.line("\(RestoreVerb.told(try NewDocument(type).make(in: place.path)))")
    }

    /// Asks where new documents go, once: the answer is kept.
    ///
    /// - Returns: `nil` where there is nobody to ask, or no choice.
    private static func chosen(_ mount: Mount) throws -> String? {
        let scopes = try mount.status().scopes.prefix(8)
        let isSomebodyThere = isatty(STDIN_FILENO) == 1 && Output.isTerminal && Output.showsProgress
        guard isSomebodyThere, !scopes.isEmpty else { return nil }
        Output.say("Where do new documents go? docfs prefer changes it later.")
        for (index, scope) in scopes.enumerated() {
            Output.say("  \(index + 1)  \(scope.name), kept in \(scope.store)")
        }
        Output.say("  \(scopes.count + 1)  Local, on this computer alone")
        Output.sayPart("Which? [1] ")
        let names = scopes.map(\.name) + ["Local"]
        while true {
            let key = try Keys.read()
            let number = key == "\n" || key == "\r" ? 1 : key.wholeNumberValue ?? 0
            guard names.indices.contains(number - 1) else { continue }
            Output.say("\(names[number - 1])")
            do {
                try mount.prefer(names[number - 1])
            } catch {
                Output.complain("that is not kept: \(error)")
            }
            return names[number - 1]
        }
    }

    private static func preferred() throws -> Place {
        let mount = try Mount.only()
        let name = try mount.preference() ?? chosen(mount) ?? mount.usualScope()
        let path = mount.point + "/" + name
        return Place(mount: mount, name: path, path: path)
    }
}
