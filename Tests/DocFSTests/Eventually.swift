import Testing

@testable import DocFS

/// Waits until `condition` holds: for two minutes, far longer than it takes on a machine that is
/// merely busy, so that how long it took says nothing about the code.
///
/// What cannot be read meanwhile is not there yet. It is attempts that are counted: a machine that
/// stood still has used up none.
func eventually(
    _ what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws {
    var last = ""
    for _ in 0..<12_000 {
        do {
            if try await condition() { return }
            last = ""
        } catch let error as DocFSError {
            last = ": \(error)"
        }
        try await Task.sleep(nanoseconds: 10_000_000)
    }
    Issue.record("waited in vain: \(what())\(last)", sourceLocation: sourceLocation)
}

/// Waits until an engine has looked at all that was found in the store and recorded what was news.
///
/// Ten times in a row: what was told and not taken yet is seen by nobody.
func rest(
    of engine: SyncEngine, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    var times = 0
    try await eventually("the engine rests", sourceLocation: sourceLocation) {
        times = await engine.isQuiet ? times + 1 : 0
        return times == 10
    }
}
