@testable package import DocFS

/// What a test waited for in vain: it goes no further.
package struct WaitedInVain: Error, CustomStringConvertible {
    package let description: String
}

/// Waits until `condition` holds: for two minutes, far longer than it takes on a machine that is
/// merely busy, so that how long it took says nothing about the code.
///
/// It is the pauses that are counted: a machine that stood still has used up none.
///
/// - Parameters:
///   - pause: nanoseconds between two looks.
///   - isPatient: what cannot be read meanwhile is not there yet.
/// - Throws: ``WaitedInVain`` with the place of the call, and what `condition` throws.
package func eventually(
    _ what: @autoclosure () -> String, every pause: UInt64 = 10_000_000, isPatient: Bool = false,
    file: String = #fileID, line: Int = #line, _ condition: () async throws -> Bool
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
    throw WaitedInVain(description: "\(file):\(line): waited in vain: \(what())\(last)")
}

/// Waits until an engine has looked at all that was found in the store and recorded what was news.
///
/// Ten times in a row: what was told and not taken yet is seen by nobody.
package func rest(
    of engine: SyncEngine, file: String = #fileID, line: Int = #line
) async throws {
    var times = 0
    try await eventually("the engine rests", file: file, line: line) {
        let isBusy = await engine.isInRound
        times = await engine.isQuiet && !isBusy ? times + 1 : 0
        return times == 10
    }
}
