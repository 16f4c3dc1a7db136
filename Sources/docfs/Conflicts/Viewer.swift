internal import ArgumentParser

/// What shows the versions of a document to its user.
struct Viewer {
    /// The program and its first arguments.
    private let words: [String]
    /// Whether it takes all versions at once, the current one first.
    private let takesAll: Bool

    /// The desktop's own programs, or, without a desktop, the user's pager.
    ///
    /// - Returns: `nil` where there is neither.
    static var usual: Viewer? {
        // A pager that is not there shows nothing.
        desktop ?? Output.Environment["PAGER"].flatMap { try? Viewer($0) }
    }

    private static var desktop: Viewer? {
        let isThere = ["WAYLAND_DISPLAY", "DISPLAY"].contains {
            Output.Environment[$0]?.isEmpty == false
        }
        guard isThere, Child.exists("xdg-open") else { return nil }
        return Viewer(words: ["xdg-open"], takesAll: false)
    }

    /// - Parameter command: a program, perhaps with arguments after it.
    init(_ command: String) throws {
        words = command.split(separator: " ").map(String.init)
        takesAll = true
        guard let program = words.first, Child.exists(program) else {
            throw ValidationError("there is no program '\(words.first ?? "")'")
        }
    }

    private init(words: [String], takesAll: Bool) {
        self.words = words
        self.takesAll = takesAll
    }

    /// Returns when the program has: a desktop's may do so while it still shows something.
    func show(_ paths: [String]) throws {
        if takesAll {
            // Programs that compare end with what they found.
            _ = try Child.run(words + paths)
            return
        }
        for path in paths {
            let status = try Child.run(words + [path])
            if status != 0 { throw Failure("\(path): \(words[0]) ended with \(status)") }
        }
    }
}
