internal import Synchronization

@testable import DocFS

/// Earlier bodies whose bytes tell their place, from a store that can be held up or fail.
final class ControlBodies: BodyReader {
    struct State {
        var ranges: [Range<UInt64>] = []
        var failure: DocFSError?
        /// A store that takes the request and sends nothing.
        var isSilent = false
        var cancelled = 0
    }

    let state = Mutex(State())

    static func byte(at place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: place &* 31 + 7) }

    func read(
        _ body: EarlierBody, range: Range<UInt64>,
        take: @escaping @Sendable (UnsafeRawBufferPointer, UInt64) -> Void
    ) async throws(DocFSError) {
        let (failure, isSilent) = state.withLock { state in
            state.ranges.append(range)
            return (state.failure, state.isSilent)
        }
        if let failure { throw failure }
        if isSilent {
            // A store that never answers.
            do { try await Task.sleep(for: .seconds(60)) } catch {}
            state.withLock { $0.cancelled += 1 }
            throw .interrupted
        }
        // Backwards, in pieces of odd size.
        var end = range.upperBound
        while end > range.lowerBound {
            let start = max(range.lowerBound, end - min(end, 99_991))
            let piece = (start..<end).map(Self.byte)
            piece.withUnsafeBytes { take($0, start) }
            end = start
        }
    }
}
