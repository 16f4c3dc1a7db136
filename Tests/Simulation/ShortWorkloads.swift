/// All sequences of a few user steps on two devices that have a few documents, each killed at each
/// crash point that its first device passes, once synced and once only closed.
struct ShortWorkloads {
    /// The most steps of a sequence.
    let length: Int

    /// What is there at the beginning, on both devices and in the store.
    static let beginning = Script(
        steps: [
            Script.Step(pause: 0, device: 0, action: .write("a", "the first\n", isSynced: true)),
            Script.Step(pause: 0, device: 0, action: .write("b", "the second\n", isSynced: true)),
            Script.Step(pause: 0, device: 0, action: .makeDirectory("d")),
            Script.Step(pause: 0, device: 0, action: .write("d/a", "the third\n", isSynced: true)),
        ], devices: 2)

    /// What a user may do; `mark` tells whose it is.
    private static func actions(_ mark: String, isSynced: Bool) -> [Script.Action] {
        [
            .write("a", "\(mark) wrote\n", isSynced: isSynced),
            .write("n", "\(mark) made\n", isSynced: isSynced),
            .append("a", "\(mark) added\n", isSynced: isSynced),
            .save("a", "\(mark) saved\n", isSynced: isSynced),
            .saveAway("a", "\(mark) saved away\n", isSynced: isSynced),
            .rename("a", "b"), .rename("a", "n"), .rename("d", "e"), .rename("d/a", "a"),
            .remove("a"), .remove("d/a"), .makeDirectory("n"),
            .describe("a", 0o600, mark), .moveOut("a", "x"), .moveIn("x", "m"),
        ]
    }

    /// The sequences; each begins on the first device, since the other way round is the same.
    var sequences: [Script] {
        var found: [Script] = []
        for isSynced in [false, true] {
            var former: [[Script.Step]] = [[]]
            for position in 0..<length {
                var longer: [[Script.Step]] = []
                for steps in former {
                    for device in position == 0 ? 0..<1 : 0..<2 {
                        let mark = "\(Script.names[device]) \(position)"
                        for action in Self.actions(mark, isSynced: isSynced) {
                            longer.append(
                                steps + [Script.Step(pause: 1, device: device, action: action)])
                        }
                    }
                }
                // What writes nothing is the same, synced or not.
                found += longer.filter { isSynced || $0.contains { $0.action.text != nil } }
                    .map { Script(steps: $0, devices: 2) }
                former = longer
            }
        }
        return found
    }

    /// `script`, whose first device dies at the crash point that is so many away.
    static func killed(_ script: Script, at point: Int) -> Script {
        var script = script
        script.steps.insert(Script.Step(pause: 0, device: 0, action: .arm(point)), at: 0)
        // Time for what was written to be sent, and the kill to come.
        script.steps.append(Script.Step(pause: 30_000, device: 0, action: .restart))
        return script
    }
}
