internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc

/// The manual pages, made of what the programs say of themselves.
enum Manual {
    /// docfs(1).
    static func control() throws -> String {
        let command = try tree(Docfs._dumpHelp()).command
        var page = ManualPage("docfs", section: 1, about: lowercased(command.abstract))
        page.section("Synopsis")
        page.synopsis("docfs VERB [OPTIONS] [PATH…]")
        page.section("Description")
        page.prose(command.discussion ?? "")
        page.section("Verbs")
        for verb in command.subcommands ?? [] where verb.shouldDisplay != false {
            if verb.commandName == "help" { continue }
            page.subsection(synopsis(of: verb))
            page.prose(verb.abstract ?? "")
            if let discussion = verb.discussion { page.prose(discussion) }
            options(of: verb, in: &page)
        }
        page.section("Exit status")
        page.prose("0 done, 1 failed, 2 wrong usage.")
        page.section("See also")
        page.prose("docfs-mount(8), docfs.toml(5), getfattr(1), attr(5)")
        return page.text
    }

    /// docfs-mount(8).
    static func mount() throws -> String {
        let command = try mountTree().command
        var page = ManualPage("docfs-mount", section: 8, about: lowercased(command.abstract))
        page.section("Synopsis")
        page.synopsis("docfs-mount [OPTIONS] MOUNTPOINT")
        page.synopsis("mount.docfs SOURCE MOUNTPOINT [-o OPT[,OPT]]")
        page.section("Description")
        page.prose(command.discussion ?? "")
        page.section("Options")
        options(of: command, in: &page)
        page.section("Exit status")
        page.prose("0 done, 1 failed, 2 wrong usage or configuration.")
        page.section("See also")
        page.prose("docfs(1), docfs.toml(5), fuse(8), fusermount3(1)")
        return page.text
    }

    /// docfs.toml(5).
    static func configuration() throws -> String {
        var page = ManualPage("docfs.toml", section: 5, about: "the configuration of docfs-mount")
        page.section("Synopsis")
        page.synopsis("$XDG_CONFIG_HOME/docfs/config.toml")
        page.section("Description")
        page.prose(ConfigurationText.description)
        page.section("Keys")
        for argument in try mountTree().command.arguments ?? [] where argument.kind == "option" {
            guard let name = argument.names?.first(where: { $0.kind == "long" })?.name,
                !ConfigurationText.notInFile.contains(name)
            else { continue }
            page.item("\(name) = \(value(of: argument))", argument.abstract ?? "")
        }
        for flag in ["daemon", "allow-other", "allow-plain-http", "read-only"] {
            page.item("\(flag) = true | false", "As the option --\(flag) of docfs-mount.")
        }
        page.section("Tables")
        for (term, meaning) in ConfigurationText.tables { page.item(term, meaning) }
        page.section("Example")
        page.prose(ConfigurationText.example)
        page.section("See also")
        page.prose("docfs-mount(8), docfs(1)")
        return page.text
    }

    // MARK: Parts

    private static func synopsis(of verb: HelpTree.Command) -> String {
        var words = ["docfs", verb.commandName]
        for argument in verb.arguments ?? [] where argument.shouldDisplay != false {
            if argument.kind != "positional" {
                if words.last != "[OPTIONS]" { words.append("[OPTIONS]") }
                continue
            }
            let name = (argument.valueName ?? "").uppercased()
            let more = argument.isRepeating == true ? "…" : ""
            words.append(argument.isOptional == true ? "[\(name)\(more)]" : name + more)
        }
        return words.joined(separator: " ")
    }

    private static func options(of command: HelpTree.Command, in page: inout ManualPage) {
        for argument in command.arguments ?? [] where argument.shouldDisplay != false {
            guard let meaning = argument.abstract else { continue }
            let names = (argument.names ?? []).map(\.text).joined(separator: ", ")
            let value = (argument.valueName ?? "").uppercased()
            switch argument.kind {
            case "positional": page.item(value, meaning)
            case "flag": page.item(names, meaning)
            default: page.item("\(names) \(value)", meaning)
            }
        }
    }

    private static func value(of argument: HelpTree.Argument) -> String {
        argument.valueName == "seconds" ? "seconds" : "\"\(argument.valueName ?? "")\""
    }

    private static func lowercased(_ sentence: String?) -> String {
        guard let sentence, let first = sentence.first else { return "" }
        let text = first.lowercased() + sentence.dropFirst()
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    // MARK: Sources

    private static func tree(_ text: String) throws -> HelpTree {
        try JSONDecoder().decode(HelpTree.self, from: Data(text.utf8))
    }

    /// What docfs-mount says of itself: the one beside this program, else the one in PATH.
    private static func mountTree() throws -> HelpTree {
        let own = try Files.real("/proc/self/exe")
        let beside = String(own[...(own.lastIndex(of: "/") ?? own.startIndex)]) + "docfs-mount"
        let program = try Files.exists(beside) ? beside : "docfs-mount"
        let quoted = program.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''")
        guard let pipe = popen("'\(quoted)' --experimental-dump-help", "r") else {
            throw Failure(program, errno)
        }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, pipe), count > 0 {
            text += buffer[..<count]
        }
        guard pclose(pipe) == 0 else { throw Failure("\(program): does not say what it can do") }
        return try tree(String(decoding: text, as: UTF8.self))
    }
}
