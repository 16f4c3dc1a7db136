internal import ArgumentParser
internal import Glibc

/// `docfs resolve`: settles conflicts.
struct ResolveVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Settle conflicts: say which version of a document stays.",
        discussion: """
            On a terminal, without --keep, each conflict is shown on a page: the versions, how \
            their texts differ, and a key for each choice; what is no text opens in a program of \
            yours with the key o. Nothing is touched before a choice was confirmed. What is not \
            chosen goes to the versions or the trash, from where docfs restore brings it back: so \
            it is sent first, if the container does not have it yet.

            --keep WORD decides without asking, for many documents too:
              current    the version that has the document's name
              newest     the one that was changed last
              both       all of them: the others become documents of their own
              merge      the edits of all in one text, if they do not touch the same lines; \
            otherwise nothing is done
              VERSION    a number of docfs conflicts, or the device that made it
            """)

    @Argument(
        help: "Documents, or directories with all below. (default: the only mount)",
        completion: .file())
    var paths: [String] = []

    @Option(
        help: ArgumentHelp("Which version stays.", valueName: "word"),
        completion: .list(["current", "newest", "both", "merge"]))
    var keep: String?

    @Option(
        help: ArgumentHelp(
            "What the key o opens the versions with, the current one first, such as meld or "
                + "\"vim -d\". (default: xdg-open on a desktop, else $PAGER)", valueName: "program")
    )
    var diff: String?

    func validate() throws {
        if let diff { _ = try Viewer(diff) }
        if keep == nil, isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 {
            throw ValidationError("not on a terminal: say what stays with --keep")
        }
        if keep != nil, paths.isEmpty {
            throw ValidationError("--keep needs a PATH")
        }
    }

    func run() throws {
        let complaints = Complaints()
        var conflicts: [Conflict] = []
        if paths.isEmpty { conflicts = try Conflict.all(in: try Mount.only()) }
        for path in paths {
            try complaints.collect {
                conflicts += try Conflict.of(try Place(path).inCloudOrMount())
            }
        }
        if let keep {
            try decide(conflicts, keep, complaints)
        } else {
            try ask(conflicts, complaints)
        }
        try complaints.conclude()
    }

    private func decide(_ conflicts: [Conflict], _ word: String, _ complaints: Complaints) throws {
        var settled = 0
        do {
            for conflict in conflicts {
                try Interruption.check()
                try complaints.collect {
                    Output.line("\(try Choice.named(word, conflict).carryOut(on: conflict))")
                    settled += 1
                }
            }
        } catch Interruption.interrupted {
            Output.say("stopped: \(settled) of \(conflicts.count) conflicts are settled")
            throw Interruption.interrupted
        }
    }

    private func ask(_ conflicts: [Conflict], _ complaints: Complaints) throws {
        if conflicts.isEmpty { return Output.line("no conflicts") }
        let viewer = try diff.map { try Viewer($0) } ?? Viewer.usual
        for (index, conflict) in conflicts.enumerated() {
            let page = ConflictPage(
                conflict, position: "\(index + 1) of \(conflicts.count)", viewer: viewer)
            var isLast = false
            try complaints.collect {
                guard let choice = try page.ask() else { return isLast = page.isToStop }
                Output.line("\(try choice.carryOut(on: conflict))")
            }
            if isLast { return }
        }
    }
}
