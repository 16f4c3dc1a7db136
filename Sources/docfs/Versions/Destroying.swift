internal import Glibc

/// The question before anything is destroyed for ever.
enum Destroying {
    /// Asks on a terminal, and reports a no; elsewhere the option is consent enough.
    ///
    /// - Parameter what: what is destroyed, and its size.
    /// - Throws: where standard input is a terminal and standard error is not.
    static func isConfirmed(_ what: String) throws -> Bool {
        guard isatty(STDIN_FILENO) == 1 else { return true }
        guard Output.showsProgress else {
            throw Failure("cannot ask: standard error is no terminal; nothing was destroyed")
        }
        Output.sayPart("Destroy \(what) on every device, for ever? [y/N] ")
        let key = try Keys.read()
        Output.say("")
        if key == "y" || key == "Y" { return true }
        Output.line("nothing was destroyed")
        return false
    }
}
