/// One conflict on the terminal: its versions, how they differ, and a key for each choice.
///
/// Changes nothing: it answers what was chosen, and confirmed.
final class ConflictPage {
    private let conflict: Conflict
    private let position: String
    /// What opens the versions; `nil` where nothing does.
    private let viewer: Viewer?
    /// The user wants to see no other page.
    private(set) var isToStop = false

    /// Lines of a diff that are shown at first.
    private static let diffLimit = 40

    /// - Parameter position: as `2 of 5`.
    init(_ conflict: Conflict, position: String, viewer: Viewer?) {
        self.conflict = conflict
        self.viewer = viewer
        self.position = position
    }

    /// What was chosen; `nil` when this conflict is to stay.
    func ask() throws -> Choice? {
        show(limit: Self.diffLimit)
        // Tried now, so that it is offered only where it will do. Why it does not is no news here:
        // the other choices are left.
        let merge = try? Choice.merge(conflict)
        while true {
            Output.write(prompt(canMerge: merge != nil))
            let key = try Keys.read()
            Output.line(key.isLetter || key.isNumber ? "\(key)" : "")
            switch key {
            case "s": return nil
            case "q":
                isToStop = true
                return nil
            case "d": show(limit: .max)
            case "o": open()
            case "b":
                if try confirm("Keep all, the others under names of their own") { return .both }
            case "m":
                guard let merge else { continue }
                try showMerged(merge)
                if try confirm("Keep this") { return merge }
            default:
                guard let version = conflict.versions.first(where: { "\($0.number)" == "\(key)" })
                else { continue }
                let rest = conflict.versions.count == 2 ? "the other goes" : "the others go"
                let title = version.title
                if try confirm("Keep \(title); \(rest) to the versions or the trash") {
                    return .version(version)
                }
            }
        }
    }

    private func confirm(_ words: String) throws -> Bool {
        Output.write("\(words)? [y/n] ")
        let key = try Keys.read()
        Output.line("\(key)")
        return key == "y"
    }

    private func prompt(canMerge: Bool) -> Shown {
        var keys = conflict.versions.map { ("\($0.number)", $0.title) }
        keys.append(("b", "both"))
        if canMerge { keys.append(("m", "merge")) }
        if viewer != nil { keys.append(("o", "open")) }
        keys += [("d", "all differences"), ("s", "skip"), ("q", "quit")]
        let words = keys.map { "[\(Output.coloured(Shown($0.0), .bold))] \($0.1)" as Shown }
        return "\nKeep " + words.joined(separator: "  ") + ": "
    }

    // MARK: Showing

    private func open() {
        do {
            try viewer?.show(conflict.versions.map(\.path))
        } catch {
            Output.line("  \(error)")
        }
    }

    private func show(limit: Int) {
        Output.line("")
        let title = Output.coloured(Shown(conflict.name), .bold)
        Output.line("\(title)  \(Output.coloured("(\(position))", .dim))")
        var table = Table()
        for version in conflict.versions { table.add(version.cells) }
        table.print()
        for sibling in conflict.siblings {
            Output.line("")
            do {
                show(try conflict.compare(sibling), sibling, limit)
            } catch {
                Output.line("  \(sibling.title): \(error)")
            }
        }
    }

    private func show(_ comparison: Comparison, _ sibling: ConflictVersion, _ limit: Int) {
        let title = sibling.title
        if comparison.lines.isEmpty || comparison.onlyWhiteSpaceDiffers {
            Output.line("  current and \(title): \(comparison.summary)")
            if !comparison.onlyWhiteSpaceDiffers { return }
        }
        Output.line(Output.coloured("--- 1 current", .red))
        Output.line(Output.coloured("+++ \(sibling.number) \(title)", .green))
        show(comparison.lines, limit)
    }

    private func show(_ lines: [String], _ limit: Int) {
        for line in lines.prefix(limit) {
            let colour: Output.Colour? =
                switch line.first {
                case "+": .green
                case "-": .red
                case "@": .cyan
                default: nil
                }
            Output.line(Output.coloured(Shown(line), colour))
        }
        if lines.count > limit {
            Output.line(Output.coloured("… \(lines.count - limit) more lines: [d]", .dim))
        }
    }

    private func showMerged(_ merge: Choice) throws {
        guard case .merged(let text) = merge else { return }
        // Nobody confirms what was not shown.
        let comparison = try Comparison(old: Document.bytes(of: conflict.path), new: text)
        Output.line(Output.coloured("--- 1 current", .red))
        Output.line(Output.coloured("+++ merged", .green))
        show(comparison.lines, .max)
    }
}
