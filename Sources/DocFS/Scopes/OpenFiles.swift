internal import Synchronization

/// The handles that are open on documents of cloud scopes, by their rows: a document that moves to
/// `Local/` takes its handles along.
package final class OpenFiles: Sendable {
    private let files = Mutex<[Int64: [OpenFile]]>([:])

    package init() {}

    func add(_ file: OpenFile) {
        files.withLock { $0[file.number.row, default: []].append(file) }
    }

    func remove(_ file: OpenFile) {
        let row = file.number.row
        files.withLock { files in
            files[row]?.removeAll { $0 === file }
            if files[row]?.isEmpty == true { files[row] = nil }
        }
    }

    /// Whether the kernel reads or writes by itself what a row shows.
    func isPassed(_ row: Int64) -> Bool {
        files.withLock { $0[row] ?? [] }.contains(where: \.isPassed)
    }

    /// Takes out all handles of a row.
    func take(_ row: Int64) -> [OpenFile] {
        files.withLock { $0.removeValue(forKey: row) ?? [] }
    }
}
