internal import ArgumentParser

/// What went wrong with some of several paths: told at once, and in the end the exit status.
final class Complaints {
    private var count = 0

    func add(_ failure: Failure) {
        count += 1
        Output.complain(failure.sentence)
    }

    /// Does `body`, and tells what it throws.
    func collect(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as Failure {
            // A call that Ctrl-C has ended has not failed.
            try Interruption.check()
            add(failure)
        }
    }

    /// Ends the verb with exit status 1 if there were any.
    func conclude() throws {
        if count > 0 { throw ExitCode(1) }
    }
}
