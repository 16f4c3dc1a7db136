@testable package import DocFS

extension Identifier {
    package static var fresh: Self {
        var random = SystemRandomNumberGenerator()
        return Self(using: &random)
    }
}

extension DocFS.Digest {
    package static func of(_ bytes: [UInt8]) -> DocFS.Digest {
        SHA256.digest(of: bytes)
    }
}

extension ObjectMetadata {
    package static func of(
        _ bytes: [UInt8]?, item: ItemID = .fresh, operation: OperationID = .fresh,
        modified: Timestamp = Timestamp(seconds: 1_600_000_000, nanoseconds: 123_456_789),
        mode: UInt16 = 0o640
    ) -> ObjectMetadata {
        ObjectMetadata(
            item: item, operation: operation, digest: bytes.map { DocFS.Digest.of($0) },
            modified: modified,
            mode: mode)
    }
}

extension ObjectWrite {
    /// A document with `text`.
    package static func document(
        _ text: String, item: ItemID = .fresh, operation: OperationID = .fresh,
        modified: Timestamp = Timestamp(seconds: 1_600_000_000, nanoseconds: 123_456_789),
        mode: UInt16 = 0o640
    ) -> ObjectWrite {
        let bytes = Array(text.utf8)
        return ObjectWrite(
            payload: .bytes(bytes, size: UInt64(bytes.count)),
            metadata: .of(
                bytes, item: item, operation: operation, modified: modified, mode: mode))
    }

    package static func document(_ bytes: [UInt8]) -> ObjectWrite {
        ObjectWrite(
            payload: .bytes(bytes, size: UInt64(bytes.count)), metadata: .of(bytes))
    }

    /// A file of the container's own.
    package static func own(_ text: String) -> ObjectWrite {
        ObjectWrite(payload: .bytes(Array(text.utf8), size: UInt64(text.utf8.count)), metadata: nil)
    }

    package static func link(_ target: String, operation: OperationID = .fresh) -> ObjectWrite {
        ObjectWrite(
            payload: .symlink(target: Array(target.utf8)),
            metadata: .of(nil, operation: operation))
    }
}

extension CloudStore {
    /// Removes a directory out of which the last document has just been removed.
    ///
    /// A filesystem on FUSE may keep that for a moment under a hidden name: until whoever had it
    /// open has closed it, of which it is told in the background.
    package func removeEmptied(_ directory: ItemPath) async throws {
        try await eventually("\(directory) is empty") {
            do {
                try await removeDirectory(directory)
                return true
            } catch DocFSError.notEmpty {
                return false
            }
        }
    }

    /// Writes a document under a new name.
    @discardableResult
    package func create(_ path: ItemPath, _ text: String) async throws(DocFSError) -> ObjectInfo {
        try await write(path, .document(text), condition: .absent, keeping: nil)
    }

    /// The bytes at `path` now.
    package func contents(_ path: ItemPath) async throws -> [UInt8] {
        guard let info = try await head(path), let revision = info.revision else {
            throw DocFSError.notFound
        }
        let sink = CollectingSink(size: Int(info.size))
        try await read(path, range: 0..<info.size, expecting: revision, into: sink)
        return sink.bytes
    }

    package func text(_ path: ItemPath) async throws -> String {
        String(decoding: try await contents(path), as: UTF8.self)
    }
}

/// `size` bytes without a short period, the same each time.
package func pattern(_ size: Int) -> [UInt8] {
    let block = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + block.count)
    while bytes.count < size { bytes += block }
    return Array(bytes[..<size])
}
