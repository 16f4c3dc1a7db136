/// How long a listing of everything counts where it costs requests and nothing tells of changes.
package enum LookPause {
    /// Nanoseconds until the next.
    ///
    /// As many sixtieths of `least` as there were requests, never less than `least`, and never more
    /// than 168 times that. With an hour that is a request a minute, hourly at most and weekly at
    /// least.
    ///
    /// - Parameters:
    ///   - least: nanoseconds.
    ///   - requests: what the last listing would be, a request for each thousand entries of a
    ///     directory.
    package static func nanoseconds(least: UInt64, requests: UInt64) -> UInt64 {
        let most = least * 24 * 7
        let (pause, overflows) = (least / 60).multipliedReportingOverflow(by: requests)
        return overflows ? most : min(max(least, pause), most)
    }
}
