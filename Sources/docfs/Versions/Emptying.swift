internal import Glibc

/// Destroys what is in the trash, at and below some directories that were deleted or had something
/// deleted in them.
struct Emptying {
    /// A container's trash, or a directory of it.
    private struct Part {
        let mount: Mount
        let scope: String
        /// Below the scope's own directory; `.` for that.
        let path: String
        /// What is in it.
        var items: [String] = []
        var documents = 0
        var bytes: UInt64 = 0
    }

    private var parts: [Part] = []

    /// - Parameter tops: a mount and a path below its root, which is empty for all containers.
    init(_ tops: [(Mount, String)]) throws {
        for (mount, inner) in tops {
            var names = inner.split(separator: "/", omittingEmptySubsequences: true).map(
                String.init)
            if names.isEmpty {
                for scope in try mount.status().scopes {
                    parts.append(Part(mount: mount, scope: scope.name, path: "."))
                }
                continue
            }
            let top = mount.control("trash/" + inner)
            guard try Files.exists(top) else {
                throw Failure("\(inner): nothing of that is in the trash")
            }
            guard try Files.isDirectory(top) else {
                throw Failure("\(inner): only whole directories can be emptied")
            }
            let scope = names.removeFirst()
            let path = names.isEmpty ? "." : names.joined(separator: "/")
            parts.append(Part(mount: mount, scope: scope, path: path))
        }
    }

    func run() throws {
        var parts = try parts.map(Self.filled)
        parts.removeAll(where: \.items.isEmpty)
        let documents = parts.reduce(0) { $0 + $1.documents }
        guard !parts.isEmpty else { return Output.line("nothing is in the trash") }
        let bytes = Size.text(parts.reduce(0) { Size.sum($0, $1.bytes) })
        let count = documents == 1 ? "1 document" : "\(documents) documents"
        guard try Destroying.isConfirmed("\(count) (\(bytes))") else { return }
        for part in parts {
            let path = part.mount.point + "/" + part.scope
            let code = Files.setAttribute("user.docfs.empty-trash", of: path, to: part.path)
            if code != 0 { throw Failure(part.scope, code) }
        }
        try wait(for: parts)
        Output.line("\(count) destroyed (\(bytes)); within minutes no container has the bytes")
    }

    private static func filled(_ part: Part) throws -> Part {
        var part = part
        let inner = part.scope + (part.path == "." ? "" : "/" + part.path)
        let top = part.mount.control("trash/" + inner)
        guard try Files.exists(top) else { return part }
        let complaints = Complaints()
        try Walk.each(top, as: inner, complaints) { item in
            if item.path == top { return true }
            part.items.append(item.path)
            if !item.isDirectory {
                part.documents += 1
                part.bytes = Size.sum(part.bytes, try Files.status(of: item.path).size)
            }
            return true
        }
        try complaints.conclude()
        return part
    }

    /// Until the trash shows none of it.
    private func wait(for parts: [Part]) throws {
        var progress = Progress("destroying", .documents)
        defer { progress.clear() }
        let all = parts.reduce(0) { $0 + $1.items.count }
        var left = parts
        do {
            while true {
                for index in left.indices {
                    while let last = left[index].items.last, try !Files.exists(last) {
                        left[index].items.removeLast()
                    }
                    try check(left[index])
                }
                let count = left.reduce(0) { $0 + $1.items.count }
                if count == 0 { return }
                progress.show(UInt64(all - count), of: UInt64(all))
                try Interruption.pause(milliseconds: 100)
            }
        } catch Interruption.interrupted {
            progress.clear()
            Output.say("stopped waiting; the trash is emptied in the background")
            throw Interruption.interrupted
        }
    }

    private func check(_ part: Part) throws {
        guard !part.items.isEmpty else { return }
        for scope in try part.mount.status().scopes where scope.name == part.scope && !scope.online
        {
            throw Failure("\(part.scope): went offline; \(part.items.count) are still in the trash")
        }
    }
}
