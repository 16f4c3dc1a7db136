internal import ArgumentParser
internal import DocFS
internal import Glibc

/// `docfs-mount`, and `mount.docfs` when it is called by that name.
@main
enum DocFSMount {
    static func main() {
        let status = run()
        // Threads may still be at work for whose results nobody waits: exit(3) would have libraries
        // give back what these use.
        fflush(nil)
        _exit(status)
    }

    private static func run() -> Int32 {
        StopSignals.block()
        let arguments = CommandLine.arguments
        let program = arguments.first ?? "docfs-mount"
        let name = program.split(separator: "/").last.map(String.init) ?? "docfs-mount"
        do {
            if arguments.dropFirst().first == "--probe" {
                try ProbeCommand.parse(Array(arguments.dropFirst(2))).run()
                return 0
            }
            let command =
                name == "mount.docfs"
                ? try HelperArguments(Array(arguments.dropFirst())).command()
                : try MountCommand.parse(Array(arguments.dropFirst()))
            try command.run()
            return 0
        } catch let error as ConfigurationError {
            complain(name, "\(error)")
            return 2
        } catch let error as MountFailure {
            complain(name, "\(error)")
            return 1
        } catch {
            // ArgumentParser's own: help and version are no failures, all else is usage.
            let isFailure = MountCommand.exitCode(for: error) != .success
            let lines = MountCommand.fullMessage(for: error).split(
                separator: "\n", omittingEmptySubsequences: false)
            say(
                lines.map { ShownText.line(String($0)) }.joined(separator: "\n"),
                to: isFailure ? STDERR_FILENO : STDOUT_FILENO)
            return isFailure ? 2 : 0
        }
    }

    private static func complain(_ name: String, _ message: String) {
        say(ShownText.line("\(name): \(message)"), to: STDERR_FILENO)
    }

    private static func say(_ text: String, to descriptor: Int32) {
        let line = text + "\n"
        _ = line.withCString { write(descriptor, $0, strlen($0)) }
    }
}
