/// A manual page in the language of man(7), as it is written.
struct ManualPage {
    private(set) var text: String

    init(_ name: String, section: Int, about: String) {
        text = """
            .TH \(Self.quoted(name)) \(section) "" "DocFS \(Docfs.version)" "DocFS"
            .SH NAME
            \(Self.escaped(name)) \\- \(Self.escaped(about))

            """
    }

    mutating func section(_ title: String) { text += ".SH \(Self.quoted(title.uppercased()))\n" }

    mutating func subsection(_ title: String) { text += ".SS \(Self.quoted(title))\n" }

    /// Paragraphs as the help has them; lines that begin with blanks stay as they are.
    mutating func prose(_ words: String) {
        var isVerbatim = false
        text += ".PP\n"
        for line in words.split(separator: "\n", omittingEmptySubsequences: false) {
            let wantsVerbatim = line.hasPrefix("  ")
            if wantsVerbatim != isVerbatim, !line.isEmpty {
                text += wantsVerbatim ? ".PP\n.nf\n" : ".fi\n.PP\n"
                isVerbatim = wantsVerbatim
            } else if line.isEmpty, !isVerbatim {
                text += ".PP\n"
                continue
            }
            text += Self.line(String(line)) + "\n"
        }
        if isVerbatim { text += ".fi\n" }
    }

    /// A term, and what it means.
    mutating func item(_ term: String, _ meaning: String) {
        text += ".TP\n.B \(Self.line(term))\n\(Self.line(meaning))\n"
    }

    /// Bold, on a line of its own.
    mutating func synopsis(_ words: String) { text += ".B \(Self.line(words))\n.br\n" }

    private static func line(_ words: String) -> String {
        let text = escaped(words)
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }

    private static func quoted(_ words: String) -> String { "\"\(escaped(words))\"" }

    private static func escaped(_ words: String) -> String {
        words.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "\"": text += "\\(dq"
            default: text.append(character)
            }
        }
    }
}
