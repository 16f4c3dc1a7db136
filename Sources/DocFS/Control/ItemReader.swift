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
        /// How many bytes of ``State/prefix`` the paths in it begin with.
        let prefix: Int
        /// The name that its last page ended with.
        var last: [UInt8] = []
        var isLoaded = false
        var page: ArraySlice<Entry> = []
    }

    private struct Entry {
        /// Empty for a directory that is only gone through.
        let line: [UInt8]
        /// What comes next: a directory and its name.
        let directory: (ino: Int64, name: [UInt8])?
    }

    private struct State {
        var frames: [Frame]
        /// What the paths in the last of ``frames`` begin with, kept once for all of them:
        /// directories may be thousands deep.
        var prefix: [UInt8] = []
        /// Bytes of lines that no read has had.
        var rest: [UInt8] = []
        /// Bytes that were read.
        var position: UInt64 = 0
    }

    private static let pageSize = 256
    /// Bytes of the paths of one page, about.
    private static let pageBytes = 1 << 20

    private let catalog: Catalog
    private let lines: ItemLine
    private let pattern: Name
    private let state: Mutex<State>

    init(below ino: Int64, pattern: Name, catalog: Catalog, lines: ItemLine) {
        self.catalog = catalog
        self.lines = lines
        self.pattern = pattern
        state = Mutex(State(frames: [Frame(ino: ino, prefix: 0)]))
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
                state.prefix.removeLast(
                    state.prefix.count - (state.frames.last?.prefix ?? 0))
                return
            }
            try load(&state.frames[top], state.prefix)
        }
        while let entry = state.frames[top].page.popFirst() {
            state.rest += entry.line
            if let directory = entry.directory {
                state.prefix += directory.name + [0x2F]
                state.frames.append(Frame(ino: directory.ino, prefix: state.prefix.count))
                return
            }
        }
    }

    private func load(_ frame: inout Frame, _ prefix: [UInt8]) throws(DocFSError) {
        let (ino, last) = (frame.ino, frame.last)
        let limit = min(Self.pageSize, max(1, Self.pageBytes / (prefix.count + 1)))
        let (items, page) = try catalog.readConsistently { (read) throws(DocFSError) in
            let items = try read.items(
                of: ino, after: last, pattern: pattern, limit: limit)
            var page: [Entry] = []
            for item in items { page.append(try entry(item, prefix, in: read)) }
            return (items, page)
        }
        frame.page = page[...]
        frame.isLoaded = items.count < limit
        frame.last = items.last?.row.name.bytes ?? last
    }

    private func entry(_ item: ListedItem, _ prefix: [UInt8], in read: CatalogReader)
        throws(DocFSError) -> Entry
    {
        let path = prefix + item.row.name.bytes
        return Entry(
            line: item.isNamed ? try lines.bytes(of: item, path: path, in: read) : [],
            directory: item.row.isDirectory
                ? (item.row.ino, item.row.name.bytes) : nil)
    }
}
