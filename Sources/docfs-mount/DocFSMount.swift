internal import ArgumentParser
internal import DocFS
internal import Glibc

/// `docfs-mount`, and `mount.docfs` when it is called by that name.
@main
enum DocFSMount {
    static func main() {
        StopSignals.block()
        let arguments = CommandLine.arguments
        let program = arguments.first ?? "docfs-mount"
        let name = program.split(separator: "/").last.map(String.init) ?? "docfs-mount"
        do {
            if arguments.dropFirst().first == "--probe" {
                return try ProbeCommand.parse(Array(arguments.dropFirst(2))).run()
            }
            let command =
                name == "mount.docfs"
                ? try HelperArguments(Array(arguments.dropFirst())).command()
                : try MountCommand.parse(Array(arguments.dropFirst()))
            try command.run()
        } catch let error as ConfigurationError {
            end(name, "\(error)", status: 2)
        } catch let error as MountFailure {
            end(name, "\(error)", status: 1)
        } catch {
            // ArgumentParser's own: help and version are no failures, all else is usage.
            let isFailure = MountCommand.exitCode(for: error) != .success
            let lines = MountCommand.fullMessage(for: error).split(
                separator: "\n", omittingEmptySubsequences: false)
            say(
                lines.map { ShownText.line(String($0)) }.joined(separator: "\n"),
                to: isFailure ? STDERR_FILENO : STDOUT_FILENO)
            exit(isFailure ? 2 : 0)
        }
    }

    private static func end(_ name: String, _ message: String, status: Int32) -> Never {
        say(ShownText.line("\(name): \(message)"), to: STDERR_FILENO)
        exit(status)
    }

    private static func say(_ text: String, to descriptor: Int32) {
        let line = text + "\n"
        _ = line.withCString { write(descriptor, $0, strlen($0)) }
    }
}
