/// What the layout rules need to know of one Swift file.
struct SwiftFile {
    struct Declaration {
        let keyword: String
        let name: String
        let line: Int
        /// Not private, not fileprivate.
        let isVisible: Bool
        let isDocumented: Bool
        /// An enum without cases and members: it only tells generic types apart.
        let isPhantom: Bool
    }

    struct Function {
        let name: String
        let line: Int
        let lineCount: Int
    }

    /// Below Sources/DocFS, or below the repository for files elsewhere.
    let path: String
    let lines: [Substring]
    let tokens: [SwiftText.Token]
    private(set) var topLevel: [Declaration] = []
    /// By name.
    private(set) var nestedTypes: [String: Declaration] = [:]
    private(set) var functions: [Function] = []

    var imports: [(module: String, line: Int)] {
        zip(tokens, tokens.dropFirst()).filter { $0.0.text == "import" }
            .map { ($0.1.text, $0.1.line) }
    }

    init(path: String, source: String) {
        self.path = path
        lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        tokens = SwiftText(source).tokens
        scan()
    }

    /// Words that may name a type of another file: no member of something, no own nested type.
    var references: [SwiftText.Token] {
        tokens.indices.filter { index in
            tokens[index].isWord && (index == 0 || tokens[index - 1].text != ".")
                && nestedTypes[tokens[index].text] == nil
        }.map { tokens[$0] }
    }

    private static let typeKeywords: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "typealias",
    ]

    private mutating func scan() {
        var depth = 0
        for index in tokens.indices {
            let text = tokens[index].text
            if text == "{" { depth += 1 }
            if text == "}" { depth -= 1 }
            if Self.typeKeywords.contains(text), let name = declaredName(after: index) {
                if depth == 0 {
                    topLevel.append(declaration(text, name, at: index))
                } else {
                    nestedTypes[name] = declaration(text, name, at: index)
                }
            }
            if text == "func" || text == "init", let function = function(at: index) {
                functions.append(function)
            }
        }
    }

    /// The name after a type's keyword; `nil` for `class func` and other uses of the word.
    private func declaredName(after index: Int) -> String? {
        guard index + 1 < tokens.count, tokens[index + 1].isWord,
            index == 0 || tokens[index - 1].text != ".",
            tokens[index + 1].text.first?.isUppercase == true
        else { return nil }
        return tokens[index + 1].text
    }

    private func declaration(_ keyword: String, _ name: String, at index: Int) -> Declaration {
        let line = tokens[index].line
        let modifiers = tokens[..<index].reversed().prefix { $0.line == line }.map(\.text)
        let above = lines[..<(line - 1)].reversed().first {
            !$0.hasPrefix("@") && !$0.hasPrefix("#")
        }
        return Declaration(
            keyword: keyword, name: name, line: line,
            isVisible: !modifiers.contains("private") && !modifiers.contains("fileprivate"),
            isDocumented: above?.hasPrefix("///") == true || above?.hasSuffix("*/") == true,
            isPhantom: keyword == "enum"
                && body(after: index).map { tokens[$0 + 1].text == "}" } ?? false)
    }

    /// The function whose keyword stands at `index`; `nil` without a body (a protocol's) and for
    /// calls of an initializer.
    private func function(at index: Int) -> Function? {
        if index > 0, tokens[index - 1].text == "." { return nil }
        guard index + 1 < tokens.count, let open = body(after: index) else { return nil }
        var depth = 0
        for position in open..<tokens.count {
            if tokens[position].text == "{" { depth += 1 }
            if tokens[position].text == "}" { depth -= 1 }
            if depth == 0 {
                let name = tokens[index].text == "init" ? "init" : tokens[index + 1].text
                return Function(
                    name: name, line: tokens[index].line,
                    lineCount: tokens[position].line - tokens[index].line + 1)
            }
        }
        return nil
    }

    private static let declarationWords: Set<String> = [
        "func", "init", "var", "let", "case", "subscript", "associatedtype", "package", "private",
        "internal", "static", "mutating", "}",
    ]

    private func body(after index: Int) -> Int? {
        var parentheses = 0
        for position in (index + 1)..<tokens.count {
            switch tokens[position].text {
            case "(", "[": parentheses += 1
            case ")", "]": parentheses -= 1
            case "{" where parentheses == 0: return position
            case let text where parentheses == 0 && Self.declarationWords.contains(text):
                return nil
            default: break
            }
        }
        return nil
    }
}
