/// One word for one thing: Documentation.docc/Glossary.md as data.
enum Synonyms {
    /// A word that no type's name contains, and the glossary's word for what it means.
    static let banned: [String: String] = [
        "account": "container", "bucket": "container",
        "domain": "scope", "volume": "scope",
        "node": "item",
        "blob": "content",
        "stub": "placeholder", "dataless": "placeholder",
        "materialize": "hydrate", "materializer": "hydrate", "materialization": "hydrate",
        "dehydrate": "evict", "purge": "evict",
        "keep": "pin",
        "etag": "revision", "generation": "revision",
        "alpha": "local", "beta": "remote", "ancestor": "base",
        "transition": "plan and apply",
        "copy": "conflict version",
        "backup": "version",
        "cursor": "anchor", "token": "anchor",
        "offset": "cookie",
        "temp": "staging", "temporary": "staging", "spool": "staging",
        "queue": "journal",
        "pull": "fetch", "push": "upload",
        "debounce": "settle",
        "listener": "presenter",
        "descriptor": "handle",
        "refresh": "invalidate or echo",
    ]

    /// Words that belong to one room or some only.
    static let atHome: [String: Set<String>] = [
        "inode": ["FUSE"],
        // A file descriptor as open(2) returns it.
        "descriptor": ["Posix"],
    ]

    /// The words of a type's name, in lower case: `HTTPHandleTable` is http, handle, table.
    static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            let followsSmall = index > 0 && !letters[index - 1].isUppercase
            let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
            if letter.isUppercase, !word.isEmpty, followsSmall || precedesSmall {
                words.append(word.lowercased())
                word = ""
            }
            word.append(letter)
        }
        return words + (word.isEmpty ? [] : [word.lowercased()])
    }

    /// What to say about a type's name in a room; `nil` when it is fine.
    static func objection(to name: String, in room: String) -> String? {
        for word in words(of: name) {
            if let homes = atHome[word] {
                if !homes.contains(room) { return "\"\(word)\" is at home in \(homes.sorted())" }
            } else if let better = banned[word] {
                return "the glossary says \"\(better)\" for \"\(word)\""
            }
        }
        return nil
    }
}
