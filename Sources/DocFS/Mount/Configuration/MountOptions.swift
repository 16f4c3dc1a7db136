/// What `-o OPT[,OPT]` says, on the command line and in fstab(5).
package enum MountOptions {
    /// Options that mount(8) and systemd handle themselves, or that change nothing here.
    private static let ignored: Set<String> = [
        "rw", "noauto", "auto", "user", "users", "nouser", "owner", "group", "_netdev", "nofail",
        "defaults", "nosuid", "nodev", "default_permissions", "relatime",
    ]

    /// Adds what `text` says to `settings`.
    ///
    /// A comma inside a value is written `\,` (fuse(8)).
    package static func read(_ text: String, into settings: inout MountSettings)
        throws(ConfigurationError)
    {
        for word in split(text) where !word.isEmpty { try read(word: word, into: &settings) }
    }

    private static func read(word: String, into settings: inout MountSettings)
        throws(ConfigurationError)
    {
        if ignored.contains(word) || word.hasPrefix("x-") { return }
        switch word {
        case "allow_other": settings.allowsOthers = true
        case "ro": settings.isReadOnly = true
        default:
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = MountSettings.Key(rawValue: String(parts[0])) else {
                throw ConfigurationError("unknown option '\(parts[0])' in -o")
            }
            // A word alone switches on, where there is something to switch.
            try settings.set(key, parts.count == 2 ? String(parts[1]) : "true")
        }
    }

    private static func split(_ text: String) -> [String] {
        var words = [""]
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped: isEscaped = true
            case "," where !isEscaped: words.append("")
            default:
                if isEscaped, character != ",", character != "\\" { words[words.count - 1] += "\\" }
                words[words.count - 1].append(character)
                isEscaped = false
            }
        }
        return words
    }
}
