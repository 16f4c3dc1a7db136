internal import Synchronization

/// One opendir(3) in `.docfs`.
final class ControlListing: Sendable {
    /// One name, and what it is.
    struct Entry: Sendable {
        var name: Name
        var place: ControlPlace
        /// As in `st_mode`.
        var type: UInt32
    }

    let place: ControlPlace
    /// The entries as they were when the listing was begun; `nil` before, and for directories
    /// that are listed page by page.
    private let entries = Mutex<[Entry]?>(nil)

    init(place: ControlPlace) { self.place = place }

    /// The entries from `cookie` on; a listing that begins anew loads them anew.
    func entries(
        from cookie: UInt64, load: () throws(DocFSError) -> [Entry]
    ) throws(DocFSError) -> ArraySlice<Entry> {
        var kept = cookie == 0 ? nil : entries.withLock { $0 }
        if kept == nil {
            let loaded = try load()
            entries.withLock { $0 = loaded }
            kept = loaded
        }
        return (kept ?? []).dropFirst(Int(clamping: cookie))
    }
}
