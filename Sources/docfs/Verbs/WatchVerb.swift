internal import ArgumentParser

/// `docfs watch`: what happens to documents.
struct WatchVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Tell what happens to documents, as it happens.",
        discussion: """
            A line for each change of state: time, what (downloaded, uploaded, arrived, changed, \
            moved, deleted, outdated, conflict, resolved, saving-error, download-error, online, \
            offline), path, and for errors and newer versions the sentence. Until Ctrl-C.
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
        return wanted.contains { (inner + "/").hasPrefix(ByteText.encoded($0) + "/") }
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
            Shown((event.inner ?? "") + (event.sentence.map { ": \($0)" } ?? "")),
        ]
        Output.line(line.joined(separator: "  "))
    }
}
