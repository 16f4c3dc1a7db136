internal import Glibc

/// One item of a cloud scope, asked through its attributes.
struct Document {
    /// How much of it is on this computer.
    enum Download: String { case none, partial, current }

    /// Whether the container has what is here.
    enum Upload: String {
        case uploaded, waiting, uploading, error, excluded

        /// Whether there is nothing to wait for.
        var isDone: Bool { self == .uploaded || self == .excluded }
    }

    let path: String

    private func attribute(_ name: String) throws -> String {
        guard let value = try Files.attribute("user.docfs." + name, of: path) else {
            throw Failure(path, ENODATA)
        }
        return value
    }

    func download() throws -> Download { Download(rawValue: try attribute("download")) ?? .none }

    func percent() throws -> Int { Int(try attribute("download.percent")) ?? 0 }

    func upload() throws -> Upload {
        if let upload = try uploadOfPlain() { return upload }
        return Upload(rawValue: try uploadOfSpecial()) ?? .waiting
    }

    /// As ``upload()``; `nil` of what has no attributes, links and special files.
    func uploadOfPlain() throws -> Upload? {
        try Files.attribute("user.docfs.upload", of: path).map { Upload(rawValue: $0) ?? .waiting }
    }

    private func uploadOfSpecial() throws -> String {
        let status = try Files.status(of: path)
        if status.isFile || status.isDirectory { throw Failure(path, ENODATA) }
        guard let report = try CatalogListing.report(of: Place(path)) else {
            throw Failure("\(path): is a link: only the mount's owner learns whether it is stored")
        }
        return report.upload ?? ""
    }

    /// The last error in words; empty when there is none.
    func error() throws -> String { try attribute("error") }

    func states() throws -> [String] {
        try attribute("state").split(separator: ",").map(String.init)
    }

    func conflicts() throws -> Int { Int(try attribute("conflicts")) ?? 0 }

    func pin() throws -> String { try attribute("pin") }

    func identity() throws -> String { try attribute("id") }

    /// Sets a state.
    ///
    /// Throws a sentence that says why not, as well as the mount knows.
    func set(_ name: String, to value: String) throws {
        let code = Files.setAttribute("user.docfs." + name, of: path, to: value)
        if code == 0 { return }
        if code == EBUSY { throw Failure("\(path): \(whyBusy())") }
        // Where it has none, or has gone, the call's own refusal is left to tell.
        let words = try? error()
        let sentence = words.flatMap { $0.isEmpty ? nil : $0 } ?? Failure.sentence(code)
        throw Failure("\(path): \(sentence)")
    }

    /// What cannot be asked any more is passed over: the last sentence covers it.
    private func whyBusy() -> String {
        if let upload = try? upload(), upload != .uploaded {
            return upload == .excluded
                ? "it is on this computer only" : "the container does not have its last edit yet"
        }
        if let states = try? states(), !states.contains("closed") { return "it is open" }
        return "it is pinned, or in use just now"
    }

    // MARK: Bytes

    /// All bytes of a file.
    static func bytes(of path: String) throws -> [UInt8] {
        let file = try open(path, O_RDONLY)
        defer { close(file) }
        var bytes: [UInt8] = []
        try eachPiece(of: file, path) { bytes += $0 }
        return bytes
    }

    /// open(2).
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws -> Int32 {
        let file = Files.with(path) { Glibc.open($0, flags | O_CLOEXEC, mode) }
        if file < 0 { throw Failure(path, errno) }
        return file
    }

    /// Hands over what is left to read of a file.
    static func eachPiece(
        of file: Int32, _ path: String, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(byteCount: 1 << 18, alignment: 16) { buffer in
            while true {
                let count = read(file, buffer.baseAddress, buffer.count)
                let code = errno
                try Interruption.check()
                if count < 0 {
                    if code == EINTR { continue }
                    throw Failure(path, code)
                }
                if count == 0 { return }
                try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    /// Writes all of `bytes`.
    static func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(
                file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(path, errno)
            }
            rest = rest.dropFirst(count)
        }
    }
}
