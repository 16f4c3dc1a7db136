internal import ArgumentParser

/// `docfs watch`: what happens to documents.
struct WatchVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Tell what happens to documents, as it happens.",
        discussion: """
            A line for each change of state: time, what (made, edited, closed, moved, left, \
            deleted, arrived, changed, outdated, conflict, resolved, uploaded, saving-error, \
            downloading, downloaded, download-error, evicted, pinned, offline, online), path, and \
            more where there is more to say: where it was, which other device did it, what is \
            wrong. What is done here is told when it has been left alone for a moment. Until \
            Ctrl-C.
            """)

    @Argument(
        help: "Documents and directories that matter. (default: everything)", completion: .file())
    var paths: [String] = []

    @Flag(help: "The lines of .docfs/events as they are, in JSON.")
    var json = false

    func run() throws {
        let places = try paths.map { try Place($0) }
        let mount = try places.first?.mount ?? Mount.only()
        if places.contains(where: { $0.mount != mount }) {
            throw Failure("these are documents of different mounts: watch one")
        }
        let wanted = places.map(\.inner).filter { !$0.isEmpty }
        do {
            try Event.follow(mount) { event, line in
                guard wanted.isEmpty || isWanted(event, wanted) else { return }
                if json { Output.json(line: line) } else { tell(event) }
            }
        } catch Interruption.interrupted {
            return
        }
    }

    private func isWanted(_ event: Event, _ wanted: [String]) -> Bool {
        guard let inner = event.inner else { return event.event == "missed" }
        // Who waits for a document wants to know that it has gone elsewhere.
        return [inner, event.former ?? inner].contains { path in
            wanted.contains { (path + "/").hasPrefix(ByteText.encoded($0) + "/") }
        }
    }

    private func tell(_ event: Event) {
        if event.event == "missed" {
            return Output.line("too slow: \(event.count ?? 0) events were missed")
        }
        let clock = Shown(event.time.flatMap { Moment(utc: $0) }?.text ?? "")
        let isBad = ["conflict", "saving-error", "download-error", "offline"].contains(event.event)
        let colour: Output.Colour? = isBad ? .red : event.event == "online" ? .green : nil
        let line = [
            Output.coloured(clock, .dim),
            Output.coloured(Output.padded(Shown(event.event), to: 14), colour),
            Shown((event.inner ?? "") + Self.remark(on: event)),
        ]
        Output.line(line.joined(separator: "  "))
    }

    /// Behind the path: where it was, or what has come beside it, by whom if not by this device,
    /// and what else there is to say.
    private static func remark(on event: Event) -> String {
        if let sentence = event.sentence { return ": " + sentence }
        var words = ""
        if let former = event.former { words += ", was " + former }
        if let sibling = event.sibling {
            // They lie in one directory, unless somebody has moved one.
            words += ", beside it " + (sibling.split(separator: "/").last ?? "")
        }
        if let by = event.by, by != "here" { words += ", by " + by }
        return words
    }
}
