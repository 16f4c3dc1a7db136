internal import Glibc

/// Single keys from the terminal.
enum Keys {
    /// Waits for one key; Ctrl-C and the end of input throw an interruption.
    ///
    /// The terminal is as it was when this returns.
    static func read() throws -> Character {
        Output.flush()
        var before = termios()
        tcgetattr(STDIN_FILENO, &before)
        var raw = before
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
        var byte: UInt8 = 0
        while true {
            try Interruption.check()
            let count = Glibc.read(STDIN_FILENO, &byte, 1)
            if count == 1 { return Character(Unicode.Scalar(byte)) }
            if count == 0 || errno != EINTR { throw Interruption.interrupted }
        }
    }
}
