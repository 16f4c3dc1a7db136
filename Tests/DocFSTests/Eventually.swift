import Testing

@testable import DocFS

/// What a test waited for in vain: it goes no further.
struct WaitedInVain: Error {
    let what: String
}

/// Waits until `condition` holds: for two minutes, far longer than it takes on a machine that is
/// merely busy, so that how long it took says nothing about the code.
///
/// It is the pauses that are counted: a machine that stood still has used up none.
///
/// - Parameters:
///   - pause: nanoseconds between two looks.
///   - isPatient: what cannot be read meanwhile is not there yet.
func eventually(
    _ what: @autoclosure () -> String, every pause: UInt64 = 10_000_000,
    isPatient: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    var last = ""
    for _ in 0..<(120_000_000_000 / pause) {
        do {
            if try await condition() { return }
            last = ""
        } catch let error as DocFSError where isPatient {
            last = ": \(error)"
        }
        // This is the pause.
        try await Task.sleep(nanoseconds: pause)
    }
    Issue.record("waited in vain: \(what())\(last)", sourceLocation: sourceLocation)
    throw WaitedInVain(what: what())
}

/// Waits until an engine has looked at all that was found in the store and recorded what was news.
///
/// Ten times in a row: what was told and not taken yet is seen by nobody.
func rest(
    of engine: SyncEngine, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var times = 0
    try await eventually("the engine rests", sourceLocation: sourceLocation) {
        let isBusy = await engine.isInRound
        times = await engine.isQuiet && !isBusy ? times + 1 : 0
        return times == 10
    }
}
