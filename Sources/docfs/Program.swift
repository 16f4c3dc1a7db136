internal import ArgumentParser
internal import Glibc

/// Runs a verb, and turns what it throws into a sentence and an exit status.
@main
enum Program {
    static func main() {
        // For the width of characters and the order of days.
        setlocale(LC_ALL, "")
        Interruption.watch()
        exit(run())
    }

    private static func run() -> Int32 {
        defer { Output.flush() }
        let arguments = arguments()
        if arguments == ["--version"] {
            Output.line(Docfs.version)
            return 0
        }
        do {
            var verb = try Docfs.parseAsRoot(arguments)
            try verb.run()
            return 0
        } catch let failure as Failure {
            Output.complain(failure.sentence)
            return 1
        } catch is Interruption {
            return 1
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            // ArgumentParser's own: help and version are no failures, all else is usage.
            let text = Docfs.fullMessage(for: error)
            if Docfs.exitCode(for: error) == .success {
                if !text.isEmpty { Output.line(text) }
                return 0
            }
            Output.say(text)
            return 2
        }
    }

    private static func arguments() -> [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map {
                ByteText.text(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
            }
        }
    }
}
