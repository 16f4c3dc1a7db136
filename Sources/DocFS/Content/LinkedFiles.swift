internal import Glibc

/// Files of `Local/` that have further names: one that moves into a container stays what it is
/// under those, and the document gets a file of its own, which is filled from it like a placeholder
/// from a store (S24, S31).
///
/// Each lies beside the content files, under one more name of its own, until the document has its
/// bytes: so that they are safe whatever becomes of the other names. What a program writes through
/// those meanwhile may be in the document or not, as with cp(1).
package struct LinkedFiles: ContentSource {
    /// What rows have as the scope of their source whose bytes are in such a file.
    package static let scope: Int64 = -1
    /// The only revision that such a file has.
    package static let revision = Revision("linked")

    private static let prefix = Array("linked-".utf8)
    /// Bytes that are copied at once.
    private static let chunk: UInt64 = 1 << 20

    /// Where they lie: the directory of content files on their filesystem.
    private let directory: Descriptor?

    init(_ directory: Descriptor?) { self.directory = directory }

    /// The name of the file that the document `item` is filled from.
    package static func name(for item: ItemID) -> [UInt8] { prefix + Array(item.description.utf8) }

    /// The names of all that are there.
    func names() throws(DocFSError) -> [[UInt8]] {
        guard let directory else { return [] }
        return try DirectoryStream.names(at: directory.number).map(\.bytes)
            .filter { $0.starts(with: Self.prefix) }
    }

    func has(_ name: [UInt8]) throws(DocFSError) -> Bool {
        guard let directory else { return false }
        return try Posix.statusIfPresent(at: directory.number, name) != nil
    }

    /// Whether a file has no other name, so that its bytes would go with this one.
    func isLast(_ name: [UInt8]) throws(DocFSError) -> Bool {
        guard let directory,
            let status = try Posix.statusIfPresent(at: directory.number, name)
        else { return false }
        return status.links < 2
    }

    /// Removes the name that we gave to a file: the others stay.
    func remove(_ name: [UInt8]) {
        guard let directory else { return }
        // What stays is removed by the next start.
        try? Posix.unlink(at: directory.number, name)
    }

    package var offlineReason: DocFSError? { nil }

    package func fetch(
        _ item: ItemID, revision: Revision, range: Range<UInt64>, into sink: any ByteSink
    ) async throws(DocFSError) {
        guard let directory else { throw .revisionGone }
        let file: Descriptor
        do throws(DocFSError) {
            file = try Posix.open(
                at: directory.number, Self.name(for: item), flags: O_RDONLY | O_NOFOLLOW)
        } catch .notFound {
            throw .revisionGone
        }
        var rest = range
        while !rest.isEmpty {
            if Task.isCancelled { throw .interrupted }
            let piece = rest.lowerBound..<min(rest.upperBound, rest.lowerBound + Self.chunk)
            try copy(piece, of: file, into: sink)
            rest = piece.upperBound..<rest.upperBound
        }
    }

    /// Where it was cut meanwhile through another name, the document is filled up with zeros.
    private func copy(_ piece: Range<UInt64>, of file: Descriptor, into sink: any ByteSink)
        throws(DocFSError)
    {
        if let target = sink.descriptor {
            do throws(DocFSError) {
                _ = try Posix.copyRange(
                    from: file.number, at: piece.lowerBound, to: target, at: piece.lowerBound,
                    length: UInt64(piece.count))
                return try sink.advanced(through: piece)
            } catch  where Posix.isUnsupported(error) {}
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 16)
        defer { buffer.deallocate() }
        let count = try Posix.read(file.number, into: buffer, at: piece.lowerBound)
        for index in count..<piece.count { buffer[index] = 0 }
        try sink.write(UnsafeRawBufferPointer(buffer), at: piece.lowerBound)
    }
}
