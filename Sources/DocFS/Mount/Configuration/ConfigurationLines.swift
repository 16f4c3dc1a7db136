/// Where a key stands in a configuration file: the TOML parser does not tell.
package enum ConfigurationLines {
    /// The number, from 1, of the first line that sets the top-level `key` or opens its table; of
    /// the first line when there is none.
    package static func line(ofKey key: String, in text: String) -> Int {
        var isTopLevel = true
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = line.drop(while: isBlank)
            if line.first == "[" {
                isTopLevel = false
                if word(line.drop { $0 == "[" || isBlank($0) }) == key { return index + 1 }
            } else if isTopLevel, word(line) == key {
                return index + 1
            }
        }
        return 1
    }

    /// The bare or quoted word at the start.
    private static func word(_ text: Substring) -> Substring {
        guard let quote = text.first, quote == "\"" || quote == "'" else {
            return text.prefix { !isBlank($0) && !"=.]".contains($0) }
        }
        return text.dropFirst().prefix { $0 != quote }
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\r"
    }
}
