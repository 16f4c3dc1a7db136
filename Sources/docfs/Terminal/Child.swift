internal import Glibc

/// Another program, which has the terminal until it ends.
enum Child {
    /// Runs a program of the PATH.
    ///
    /// - Returns: its exit status; 128 and the signal's number for one that a signal ended.
    static func run(_ words: [String]) throws -> Int32 {
        Output.flush()
        var process = pid_t()
        var arguments = words.map { word -> UnsafeMutablePointer<CChar>? in
            Files.with(word) { strdup($0) }
        }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        let code = posix_spawnp(&process, words[0], nil, nil, arguments, environ)
        if code != 0 { throw Failure(words[0], code) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    }

    /// Whether the PATH has a program of that name.
    static func exists(_ program: String) -> Bool {
        if program.contains("/") { return access(program, X_OK) == 0 }
        return (Output.Environment["PATH"] ?? "").split(separator: ":").contains {
            access("\($0)/\(program)", X_OK) == 0
        }
    }
}
