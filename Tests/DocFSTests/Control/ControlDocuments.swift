internal import Synchronization

@testable import DocFS

/// Contents that do as they are told, and remember what they were told.
final class ControlDocuments: DocumentControl {
    struct State {
        var contents: [Int64: (ContentState, Int)] = [:]
        var unrecorded: [Int64: (size: UInt64, modified: Timestamp)] = [:]
        var coming: Set<Int64> = []
        var uploads: [Int64: Int] = [:]
        var sending = TransferProgress()
        var receiving = TransferProgress()
        var damages: [Int64: BodyDamage] = [:]
        var open: Set<Int64> = []
        var replaced: Set<Int64> = []
        var calls: [String] = []
        var refusal: DocFSError?
        var farewell: Duration = .seconds(5)
    }

    let state = Mutex(State())

    var calls: [String] { state.withLock { $0.calls } }

    private func note(_ call: String) throws(DocFSError) {
        let refusal = state.withLock { state in
            state.calls.append(call)
            return state.refusal
        }
        if let refusal { throw refusal }
    }

    func state(of row: LocalItem) -> ContentState {
        state.withLock { $0.contents[row.ino]?.0 ?? row.state }
    }

    func percent(of row: LocalItem) -> Int {
        state.withLock { $0.contents[row.ino]?.1 ?? 0 }
    }

    func isComing(_ ino: Int64) -> Bool { state.withLock { $0.coming.contains(ino) } }

    func uploadPercent(of ino: Int64) -> Int? { state.withLock { $0.uploads[ino] } }

    func sending(scope: Int64) -> TransferProgress { state.withLock(\.sending) }

    func receiving(scope: Int64) -> TransferProgress { state.withLock(\.receiving) }

    func unrecorded(_ ino: Int64) -> (size: UInt64, modified: Timestamp)? {
        state.withLock { $0.unrecorded[ino] }
    }

    func refusal(of row: LocalItem) -> String? { nil }

    func damage(of row: LocalItem) -> BodyDamage? { state.withLock { $0.damages[row.ino] } }

    var openForWriting: [Int64] { state.withLock { $0.open.sorted() } }
    func isOpen(_ ino: Int64) -> Bool { state.withLock { $0.open.contains(ino) } }

    func isEditingDisabled(_ ino: Int64) -> Bool { state.withLock { $0.replaced.contains(ino) } }

    func hydrate(_ ino: Int64) throws(DocFSError) { try note("hydrate \(ino)") }

    func pinChanged(of ino: Int64, to pin: PinState) { try? note("pins") }

    func evict(_ ino: Int64) throws(DocFSError) { try note("evict \(ino)") }

    func emptyTrash(scope: Int64, below path: ItemPath) throws(DocFSError) {
        try note("empty \(scope) \(path)")
    }

    func remove(_ version: VersionRecord, scope: Int64) throws(DocFSError) {
        try note("remove \(scope) \(version.revision)")
    }

    func mendLog(scope: Int64, _ repair: LogRepair) throws(DocFSError) {
        try note("mend \(scope) \(repair.rawValue)")
    }

    func confirmDeletes(scope: Int64) throws(DocFSError) { try note("confirm \(scope)") }

    func sendNow(_ items: Set<ItemID>?, scope: Int64) {
        let words = items.map { $0.sorted().map(\.description).joined(separator: " ") } ?? "all"
        try? note("send \(scope) \(words)")
    }

    var farewell: Duration {
        get { state.withLock(\.farewell) }
        set { state.withLock { $0.farewell = newValue } }
    }

    func retain(_ ino: Int64) { try? note("retain \(ino)") }

    func unlinked(_ ino: Int64) { try? note("unlinked \(ino)") }
}
