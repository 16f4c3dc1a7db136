internal import Glibc

/// SIGINT, SIGTERM and SIGHUP: blocked in every thread, taken by one.
package enum StopSignals {
    private static var set: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&set, signal) }
        return set
    }

    /// To be called before any other thread exists, since threads inherit what is blocked.
    package static func block() {
        var set = set
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A reader of our log that went away is no reason to end.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls the first of `answers` at the first signal, and so on, each on a thread of its own;
    /// one more signal ends the process.
    package static func watch(_ answers: [@Sendable () -> Void]) {
        OwnThread.start(name: "docfs-stop") {
            wait()
            guard let answer = answers.first else { _exit(1) }
            watch(Array(answers.dropFirst()))
            answer()
        }
    }

    private static func wait() {
        var set = set
        var signal: Int32 = 0
        while sigwait(&set, &signal) != 0 {}
    }
}
