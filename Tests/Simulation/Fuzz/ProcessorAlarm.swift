import Glibc

/// Ends this process when a part of a case takes too much processor time.
///
/// Counted is what this process took itself, so that a busy computer makes no find of a case that
/// has to wait for it.
struct ProcessorAlarm {
    /// Seconds of processor time that a part of a case may take.
    static let time = 2
    /// The signal by which the process ends; Swift tells where it was, where it is asked to.
    static let signal = SIGQUIT

    static func install() { Glibc.signal(SIGPROF) { _ in raise(ProcessorAlarm.signal) } }

    /// Another part begins.
    func set() { set(seconds: Self.time) }

    func stop() { set(seconds: 0) }

    private func set(seconds: Int) {
        var time = itimerval()
        time.it_value.tv_sec = seconds
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &time, nil)
    }
}
