internal import Synchronization

/// One open file below `.docfs/items`: everything below a directory, a line each, as the catalog
/// has it when the line is read.
///
/// A directory comes before what is in it, in the order of names. Each page is one short reading
/// of the catalog, and what is kept between two is a page for every directory on the way to where
/// the reading is. Any thread; read from the beginning to the end only.
final class ItemReader: Sendable {
    /// A directory that is being gone through.
    private struct Frame {
        let ino: Int64
        /// What the paths in it begin with.
        let prefix: [UInt8]
        /// The name that its last page ended with.
        var last: [UInt8] = []
        var isLoaded = false
        var page: ArraySlice<Entry> = []
    }

    private struct Entry {
        /// Empty for a directory that is only gone through.
        let line: [UInt8]
        /// What comes next.
        let directory: Frame?
    }

    private struct State {
        var frames: [Frame]
        /// Bytes of lines that no read has had.
        var rest: [UInt8] = []
        /// Bytes that were read.
        var position: UInt64 = 0
    }

    private static let pageSize = 256

    private let catalog: Catalog
    private let lines: ItemLine
    private let pattern: Name
    private let state: Mutex<State>

    init(below ino: Int64, pattern: Name, catalog: Catalog, lines: ItemLine) {
        self.catalog = catalog
        self.lines = lines
        self.pattern = pattern
        state = Mutex(State(frames: [Frame(ino: ino, prefix: [])]))
    }

    func read(at offset: UInt64, length: Int) throws(DocFSError) -> [UInt8] {
        try state.withLock { (state) throws(DocFSError) in
            guard offset == state.position else { throw .invalidArgument }
            while state.rest.count < length, !state.frames.isEmpty { try goOn(&state) }
            let bytes = Array(state.rest.prefix(length))
            state.rest.removeFirst(bytes.count)
            state.position += UInt64(bytes.count)
            return bytes
        }
    }

    private func goOn(_ state: inout State) throws(DocFSError) {
        let top = state.frames.count - 1
        if state.frames[top].page.isEmpty {
            if state.frames[top].isLoaded {
                state.frames.removeLast()
                return
            }
            try load(&state.frames[top])
        }
        while let entry = state.frames[top].page.popFirst() {
            state.rest += entry.line
            if let directory = entry.directory {
                state.frames.append(directory)
                return
            }
        }
    }

    private func load(_ frame: inout Frame) throws(DocFSError) {
        let (ino, last, prefix) = (frame.ino, frame.last, frame.prefix)
        let (items, page) = try catalog.readConsistently { (read) throws(DocFSError) in
            let items = try read.items(
                of: ino, after: last, pattern: pattern, limit: Self.pageSize)
            var page: [Entry] = []
            for item in items { page.append(try entry(item, prefix, in: read)) }
            return (items, page)
        }
        frame.page = page[...]
        frame.isLoaded = items.count < Self.pageSize
        frame.last = items.last?.row.name.bytes ?? last
    }

    private func entry(_ item: ListedItem, _ prefix: [UInt8], in read: CatalogReader)
        throws(DocFSError) -> Entry
    {
        let path = prefix + item.row.name.bytes
        return Entry(
            line: item.isNamed ? try lines.bytes(of: item, path: path, in: read) : [],
            directory: item.row.isDirectory
                ? Frame(ino: item.row.ino, prefix: path + [0x2F]) : nil)
    }
}
