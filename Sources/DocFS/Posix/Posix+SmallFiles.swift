internal import Glibc

/// Whole files that fit into memory many times over.
extension Posix {
    /// All bytes of a file, also of one in /proc, whose size is told as 0.
    package static func contents(ofPath path: String) throws(DocFSError) -> [UInt8] {
        try contents(of: try open(path: path, flags: O_RDONLY))
    }

    /// All bytes from the descriptor's own position on.
    package static func contents(of file: Descriptor) throws(DocFSError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = try check { Glibc.read(file.number, &buffer, buffer.count) }
            if count == 0 { return bytes }
            bytes += buffer.prefix(count)
        }
    }

    /// Makes `bytes` the file's only contents.
    package static func setContents(of file: Descriptor, to bytes: [UInt8]) throws(DocFSError) {
        try truncate(file.number, to: 0)
        let result: Result<Void, DocFSError> = bytes.withUnsafeBytes { buffer in
            do throws(DocFSError) {
                return .success(try write(file.number, buffer, at: 0))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
