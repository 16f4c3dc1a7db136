internal import ArgumentParser
internal import Glibc

/// Runs a verb, and turns what it throws into a sentence and an exit status.
@main
enum Program {
    static func main() {
        // For the width of characters and the order of days.
        setlocale(LC_ALL, "")
        Interruption.watch()
        let status = run()
        // A list that was cut short is not the list that was asked for.
        exit(status == 0 && Output.isCut ? 1 : status)
    }

    private static func run() -> Int32 {
        defer { Output.flush() }
        let arguments = arguments()
        if arguments == ["--version"] {
            Output.line("\(Docfs.version)")
            return 0
        }
        do {
            var verb = try parse(arguments)
            try verb.run()
            return 0
        } catch let failure as Failure {
            Output.complain(failure.sentence)
            return 1
        } catch is Interruption {
            return 1
        } catch let code as ExitCode {
            return code.rawValue
        } catch let usage as Usage {
            return tell(usage.error)
        } catch {
            return tell(error)
        }
    }

    /// What ArgumentParser has to say of the words of the command line, which hold nothing that
    /// would do something to the terminal.
    private struct Usage: Error {
        let error: any Error
    }

    private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        do {
            return try Docfs.parseAsRoot(arguments)
        } catch {
            let shown = arguments.map(ByteText.shown)
            guard shown != arguments else { throw Usage(error: error) }
            do {
                _ = try Docfs.parseAsRoot(shown)
            } catch {
                throw Usage(error: error)
            }
            throw Failure("\(error)")
        }
    }

    /// Help and version are no failures, all else is usage.
    private static func tell(_ error: any Error) -> Int32 {
        let text = Docfs.fullMessage(for: error)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { Shown(String($0)) }.joined(separator: "\n")
        guard Docfs.exitCode(for: error) == .success else {
            Output.say(text)
            return 2
        }
        if !text.isEmpty { Output.line(text) }
        return 0
    }

    private static func arguments() -> [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map {
                ByteText.text(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
            }
        }
    }
}
