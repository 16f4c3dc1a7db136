internal import Glibc

/// read.
extension AttachedFolder {
    /// Bytes between two looks at the cancellation.
    static let chunk: UInt64 = 1 << 20

    func read(
        _ path: ItemPath, range: Range<UInt64>, expecting expected: Revision,
        into sink: any ByteSink, _ cancellation: Cancellation
    ) throws(DocFSError) {
        let descriptor = try store { () throws(DocFSError) in
            try openBody(path, expecting: expected, through: range.upperBound)
        }
        try copy(range, of: descriptor, into: sink, cancellation)
        // Its body was made durable before it got its name.
        if path.isAtOrBelow(Self.control) { dirty.insert(path.parent) }
        try store { () throws(DocFSError) in
            let after = try Posix.status(of: descriptor.number)
            guard BodyIdentity(after).revision == expected else { throw .refused }
        }
    }

    private func openBody(
        _ path: ItemPath, expecting expected: Revision, through end: UInt64
    ) throws(DocFSError) -> Descriptor {
        guard let place = try existingPlace(path),
            let status = try Posix.statusIfPresent(at: place.directory.number, place.name)
        else { throw .notFound }
        guard status.isRegularFile else { throw .refused }
        let descriptor: Descriptor
        do {
            descriptor = try Posix.open(
                at: place.directory.number, place.name,
                flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
        } catch .loop {
            throw .refused
        }
        let opened = try Posix.status(of: descriptor.number)
        guard opened.isRegularFile, BodyIdentity(opened).revision == expected else {
            throw .refused
        }
        guard end <= opened.size else { throw .corrupt("asked for bytes behind the end") }
        return descriptor
    }

    private func copy(
        _ range: Range<UInt64>, of descriptor: Descriptor, into sink: any ByteSink,
        _ cancellation: Cancellation
    ) throws(DocFSError) {
        var rest = range
        while let target = sink.descriptor, !rest.isEmpty {
            try cancellation.check()
            let piece = rest.lowerBound..<min(rest.upperBound, rest.lowerBound + Self.chunk)
            do throws(DocFSError) {
                let copied = try Posix.copyRange(
                    from: descriptor.number, at: piece.lowerBound, to: target,
                    at: piece.lowerBound, length: UInt64(piece.count))
                guard copied == UInt64(piece.count) else { throw DocFSError.refused }
            } catch  where Posix.isUnsupported(error) {
                break
            }
            try sink.advanced(through: piece)
            rest = piece.upperBound..<rest.upperBound
        }
        try pump(rest, of: descriptor, into: sink, cancellation)
    }

    private func pump(
        _ range: Range<UInt64>, of descriptor: Descriptor, into sink: any ByteSink,
        _ cancellation: Cancellation
    ) throws(DocFSError) {
        guard !range.isEmpty else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(UInt64(range.count), Self.chunk)), alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            try cancellation.check()
            let length = Int(min(range.upperBound - offset, Self.chunk))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
            let count = try store { () throws(DocFSError) in
                try Posix.read(descriptor.number, into: piece, at: offset)
            }
            // Shorter than its revision says: another program has just truncated it.
            guard count == length else { throw .refused }
            try sink.write(UnsafeRawBufferPointer(piece), at: offset)
            offset += UInt64(length)
        }
    }
}
