internal import ArgumentParser

/// `docfs prefer`: where new documents go (S28).
struct PreferVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefer",
        abstract: "Say where new documents go: to a container or to this computer.",
        discussion: """
            Without SCOPE, says which it is; nothing until somebody has chosen, and docfs new asks \
            once on a terminal. With --move, all documents move there: those of this \
            computer to the container, or those of all containers to this computer. It waits until \
            they have arrived. Stopped in between, by Ctrl-C or worse, nothing is lost: what is \
            under way arrives in the background, and the same command goes on with the rest. \
            Where a name is taken, the document that moves gets a number.
            """)

    @Argument(
        help: "cloud (the first container), local, or a container's name.",
        completion: .list(["cloud", "local"]))
    var scope: String?

    @Flag(help: "Move all documents there.")
    var move = false

    @Option(
        help: ArgumentHelp("The mount, or a path in it.", valueName: "path"),
        completion: .directory)
    var mount: String?

    func validate() throws {
        if move, scope == nil { throw ValidationError("--move needs a SCOPE") }
    }

    func run() throws {
        let mount = try mount.map { try Place($0).mount } ?? Mount.only()
        guard let scope else { return try tell(mount) }
        let containers = try mount.status().scopes.map(\.name)
        let name = try Self.chosen(scope, containers)
        try mount.prefer(name)
        Output.line("new documents go to \(name)")
        guard move else { return }
        let sources = name == "Local" ? containers : ["Local"]
        try MovingAll(mount: mount, sources: sources, destination: name).run()
    }

    private func tell(_ mount: Mount) throws {
        if let name = try mount.preference() { return Output.line("\(name)") }
        // Only the mount's owner may ask for its containers.
        let usual = (try? mount.usualScope()) ?? "the first container"
        Output.say("nobody has chosen yet: new documents go to \(usual)")
    }

    private static func chosen(_ word: String, _ containers: [String]) throws -> String {
        if containers.contains(word) { return word }
        if word.lowercased() == "local" { return "Local" }
        if word.lowercased() == "cloud", let first = containers.first { return first }
        if containers.isEmpty {
            throw Failure("there is no scope '\(word)': no container is configured, only Local")
        }
        throw Failure(
            "there is no scope '\(word)'; there are Local, "
                + containers.joined(separator: ", "))
    }
}
