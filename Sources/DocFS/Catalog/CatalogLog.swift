internal import Glibc

/// The write-ahead log of a catalog whose process died, before SQLite looks at it.
///
/// SQLite takes a frame that is damaged for the log's end, and drops all that was committed after
/// it without a word. But what a process has written outlives it as long as the system runs, and
/// the log's index, a file that processes share as memory, counts the frames that were committed:
/// they must all be there. After a loss of power nothing of that holds; a torn end is no damage.
///
/// Formats: sqlite.org/fileformat2.html, "The Write-Ahead Log", and sqlite.org/walformat.html.
struct CatalogLog {
    private let path: String

    /// - Parameter path: the catalog's.
    init(path: String) { self.path = path }

    /// What is missing, in words; `nil` when nothing is, or nobody can tell.
    ///
    /// - Throws: when the files are there and cannot be read: SQLite must not take the log for
    ///   shorter than it is.
    func objection() throws(DocFSError) -> String? {
        guard let index = try Index(path: path + "-shm"), index.frames > 0 else { return nil }
        var log: [UInt8] = []
        do throws(DocFSError) {
            log = try Posix.contents(ofPath: path + "-wal")
        } catch .notFound {
        } catch .isDirectory {}
        guard let whole = Self.wholeFrames(in: log, upTo: index), whole < index.frames else {
            return nil
        }
        return "of its write-ahead log \(whole) of \(index.frames) pages are whole"
    }

    /// The header of the index.
    private struct Index {
        /// How many frames were committed.
        let frames: Int
        /// What marks the frames of this turn of the log, as it lies in both files.
        let salt: ArraySlice<UInt8>

        private static let length = 48

        /// `nil` when it was being written, or is damaged itself.
        init?(path: String) throws(DocFSError) {
            guard let file = try Self.open(path),
                try Posix.status(of: file.number).isRegularFile
            else { return nil }
            var bytes = [UInt8](repeating: 0, count: 2 * Self.length)
            let count = bytes.withUnsafeMutableBytes { bytes in
                Result { () throws(DocFSError) in
                    try Posix.read(file.number, into: bytes, at: 0)
                }
            }
            // Written twice, one after the other, with a sum of its own at its end.
            guard try count.get() == bytes.count,
                bytes[..<Self.length].elementsEqual(bytes[Self.length...])
            else { return nil }
            var sum = LogSum(isBigEndian: UInt16(1).bigEndian == 1)
            sum.add(bytes[..<(Self.length - 8)])
            guard sum.first == Self.word(bytes, 40), sum.second == Self.word(bytes, 44) else {
                return nil
            }
            frames = Int(Self.word(bytes, 16))
            salt = bytes[32..<40]
        }

        /// `nil` when there is none.
        private static func open(_ path: String) throws(DocFSError) -> Descriptor? {
            do throws(DocFSError) {
                return try Posix.open(path: path, flags: O_RDONLY | O_NOFOLLOW)
            } catch .notFound {
                return nil
            } catch .loop {
                return nil
            }
        }

        private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
            bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        }
    }

    private static let headerLength = 32
    private static let frameHeaderLength = 24

    /// How many frames from the first on are what was written; `nil` for a log that is whole, but
    /// not the index's.
    private static func wholeFrames(in log: [UInt8], upTo index: Index) -> Int? {
        guard log.count >= headerLength else { return 0 }
        var sum = LogSum(isBigEndian: log[3] & 1 == 1)
        sum.add(log[..<24])
        guard sum.isAt(log[24...]) else { return 0 }
        guard log[16..<24].elementsEqual(index.salt) else { return nil }
        let page = Int(log[8]) << 24 | Int(log[9]) << 16 | Int(log[10]) << 8 | Int(log[11])
        let length = frameHeaderLength + page
        for frame in 0..<index.frames {
            let start = headerLength + frame * length
            guard log.count >= start + length,
                log[(start + 8)..<(start + 16)].elementsEqual(index.salt)
            else { return frame }
            sum.add(log[start..<(start + 8)])
            sum.add(log[(start + frameHeaderLength)..<(start + length)])
            guard sum.isAt(log[(start + 16)...]) else { return frame }
        }
        return index.frames
    }
}
