import DocFS
import TestSupport

/// Another program that works in the container, and knows nothing of DocFS.
///
/// It does what system calls or requests do, and sees what is there at that moment. What it
/// replaces or removes is nowhere afterwards, and missed by nobody.
extension World {
    func performFromOutside(_ action: Script.Action) {
        scheduler.submit(nil, of: nil) { [self] in
            Task {
                do throws(DocFSError) {
                    try await others(action)
                    note("another program: \(action)".replacingOccurrences("\n", with: "⏎"))
                } catch {
                    tell("another program: \(action): \(error.sentence)")
                }
            }
        }
    }

    private func others(_ action: Script.Action) async throws(DocFSError) {
        switch action {
        case .foreignWrite(let path, let text):
            let path = ItemPath(path)
            try await write(path, text, over: try await read(path) ?? "")
        case .foreignAppend(let path, let text):
            let path = ItemPath(path)
            guard let old = try await read(path) else { throw .notFound }
            try await write(path, old + text, over: old)
        case .foreignRemove(let path):
            let path = ItemPath(path)
            let gone = try await texts(path)
            try store.removeFromOutside(path)
            gone.forEach(ledger.destroy)
        case .foreignRename(let path, let other):
            let (path, other) = (ItemPath(path), ItemPath(other))
            let gone = path == other ? "" : try await read(other) ?? ""
            let moved = try await texts(path)
            try store.moveFromOutside(path, to: other)
            moved.forEach(ledger.displace)
            try await announce(other)
            ledger.destroy(gone)
        case .foreignCopy(let path, let other, let isWhole):
            let (path, other) = (ItemPath(path), ItemPath(other))
            guard let text = try await read(path) else { throw .notFound }
            let gone = try await read(other) ?? ""
            try store.copyFromOutside(path, to: other, isWhole: isWhole)
            ledger.destroy(gone)
            try await found(text, at: other)
        default: return
        }
    }

    private func write(_ path: ItemPath, _ text: String, over old: String) async throws(DocFSError)
    {
        try store.writeFromOutside(path, Array(text.utf8))
        ledger.destroy(old)
        try await found(text, at: path)
    }

    /// Something has come to lie at `path` that no device has sent.
    private func found(_ text: String, at path: ItemPath) async throws(DocFSError) {
        ledger.require(text, "another program")
        if let revision = try await store.head(path)?.revision {
            ledger.announce(text, as: revision)
        }
    }

    /// What lies at `path` and below may be known by its revision alone from now on.
    private func announce(_ path: ItemPath) async throws(DocFSError) {
        guard let object = try await store.head(path) else { return }
        if object.kind == .directory {
            for entry in try await store.list(path) { try await announce(entry.path) }
        } else if let revision = object.revision, let text = try await read(path) {
            ledger.announce(text, as: revision)
        }
    }

    /// The texts of an object, or of all below a directory.
    func texts(_ path: ItemPath) async throws(DocFSError) -> [String] {
        guard let object = try await store.head(path) else { throw .notFound }
        guard object.kind == .directory else { return try await read(path).map { [$0] } ?? [] }
        var found: [String] = []
        for entry in try await store.list(path) { found += try await texts(entry.path) }
        return found
    }

    /// The text of an object in the store; `nil` where there is no document.
    ///
    /// - Throws: `.notFound` where none can be, `.isDirectory`.
    private func read(_ path: ItemPath) async throws(DocFSError) -> String? {
        guard try await store.head(path.parent)?.kind == .directory else { throw .notFound }
        guard try await store.head(path)?.kind != .directory else { throw .isDirectory }
        return try await store.small(path, atMost: 1 << 20).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
