internal import Synchronization

/// One open(2): what may be done through it, and the file that it reaches.
///
/// The file may change its home while it is open (S24): ``number`` and ``descriptor`` are asked at
/// every use, never kept.
package final class OpenFile: Sendable {
    package let isReadable: Bool
    package let isWritable: Bool
    /// Who opened it.
    package let caller: Caller

    private struct State {
        var number: FileNumber
        var descriptor: Descriptor?
        var content: OpenContent?
        /// The home before the last move: a reply may still be reading from its descriptor.
        var former: (any Sendable)?
    }

    private let state: Mutex<State>

    package init(
        number: FileNumber, descriptor: Descriptor?, content: OpenContent? = nil,
        isReadable: Bool, isWritable: Bool, caller: Caller
    ) {
        state = Mutex(State(number: number, descriptor: descriptor, content: content))
        self.isReadable = isReadable
        self.isWritable = isWritable
        self.caller = caller
    }

    /// The file that this handle reaches now.
    package var number: FileNumber { state.withLock { $0.number } }

    /// The file on disk: always there for a file of `Local/`.
    package var descriptor: Descriptor? { state.withLock { $0.descriptor } }

    /// The content behind a document of a cloud scope.
    package var content: OpenContent? { state.withLock { $0.content } }

    /// The file went on under another number with another home.
    package func move(to number: FileNumber, descriptor: Descriptor?, content: OpenContent?) {
        state.withLock {
            $0.former = $0.content ?? $0.descriptor
            $0.number = number
            $0.descriptor = descriptor
            $0.content = content
        }
    }
}
