extension Scratch {
    /// - Parameter patterns: of names, as in a gitignore file without its paths: `*`, `?`, `[a-z]`,
    ///   and `!` before what is a document after all.
    package init(patterns: [String]) {
        self.init(
            patterns.map { text in
                let isScratch = !text.hasPrefix("!")
                let pattern = NamePattern(isScratch ? text : String(text.dropFirst()))
                return Rule(isScratch: isScratch) { pattern.matches($0) }
            })
    }
}
