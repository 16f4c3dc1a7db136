/// Decides when the edit of a document is sent that a program keeps open for writing (S14).
///
/// All moments are nanoseconds of one clock that never goes back.
package struct OpenEdit: Hashable, Sendable {
    /// The least time between two versions of a document that stays open.
    package static let interval: UInt64 = 30_000_000_000
    /// However long sending took, it is tried again so long after that.
    package static let longestPause: UInt64 = 600_000_000_000
    /// One part of so many goes into sending a document that is synced, and another, which may grow
    /// for an hour, as far as the longest pause lets it.
    private static let parts: (synced: UInt64, other: UInt64) = (2, 10)

    /// What is given back when nothing comes of an attempt.
    private struct Attempt: Hashable {
        var waiting: UInt64?
        var begun: UInt64?
        var isHurried: Bool
    }

    /// Since when there is something to send.
    private var waiting: UInt64?
    /// When sending was last tried.
    private var begun: UInt64?
    /// How long that took, the copy included.
    private var cost: UInt64 = 0
    private var isHurried = false
    private var attempt: Attempt?
    /// How often it could not be copied since it was last sent.
    package private(set) var failures = 0

    package init() {}

    /// It is being copied or sent.
    package var isTried: Bool { attempt != nil }

    /// There is something to send.
    package mutating func wait(since moment: UInt64) { waiting = min(waiting ?? moment, moment) }

    /// The user wants it to be sent, as it is.
    package mutating func hurry() { isHurried = true }

    /// There is nothing to send.
    package mutating func rest() { (waiting, isHurried, attempt) = (nil, false, nil) }

    /// Copying it begins.
    package mutating func begin(at now: UInt64) {
        attempt = Attempt(waiting: waiting, begun: begun, isHurried: isHurried)
        (waiting, begun, isHurried) = (nil, now, false)
    }

    /// It is sent, or could not be copied.
    package mutating func end(at now: UInt64, isSent: Bool = true) {
        guard isTried, let begun else { return }
        cost = now - begun
        attempt = nil
        failures = isSent ? 0 : failures + 1
    }

    /// The attempt was none: it is planned once more.
    package mutating func cancel() {
        guard let attempt else { return }
        waiting = attempt.waiting ?? waiting
        begun = attempt.begun
        isHurried = isHurried || attempt.isHurried
        self.attempt = nil
    }

    /// From when on it is sent.
    ///
    /// - Parameters:
    ///   - isSynced: the program has called fsync since it wrote last, and so wants the document to
    ///     be what it is. Of other bytes nobody knows whether they are half of something.
    ///   - openSince: since when programs have had it open without a pause.
    package func due(isSynced: Bool, openSince: UInt64) -> UInt64 {
        if isHurried { return 0 }
        let parts = isSynced ? Self.parts.synced : Self.parts.other
        let pause = cost + min(cost * (parts - 1), Self.longestPause)
        let next = begun.map { $0 + max(Self.interval, pause) } ?? 0
        if isSynced { return next }
        guard let waiting else { return .max }
        // Who goes on writing after a version does not wait for longer than until the next.
        if next > max(waiting, openSince) { return next }
        // Nor who saves again and again, and may be in the middle of it.
        return min(max(waiting, openSince), waiting + Self.interval) + Self.interval
    }
}
