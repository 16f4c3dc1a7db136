/// What `--experimental-dump-help` of ArgumentParser tells of a program: the source of its manual.
struct HelpTree: Decodable {
    struct Command: Decodable {
        var commandName: String
        var abstract: String?
        var discussion: String?
        var arguments: [Argument]?
        var subcommands: [Command]?
        var shouldDisplay: Bool?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            var kind: String
            var name: String

            /// As it is typed.
            var text: String { (kind == "long" ? "--" : "-") + name }
        }

        var kind: String
        var names: [Name]?
        var valueName: String?
        var abstract: String?
        var isOptional: Bool?
        var isRepeating: Bool?
        var shouldDisplay: Bool?
    }

    var command: Command
}
