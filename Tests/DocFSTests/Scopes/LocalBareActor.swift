import CFuse
import Glibc
import TestSupport

@testable import DocFS

/// Makes steps on a directory by system calls with whole paths, as any program would.
struct BareActor: LocalActor {
    let directory: String

    func perform(_ step: LocalStep) throws -> String {
        func at(_ path: String) -> String { path.isEmpty ? directory : directory + "/" + path }
        switch step {
        case .makeDirectory(let path, let mode): try ok { mkdir(at(path), mode) }
        case .makeNode(let path, let mode): try ok { mknod(at(path), mode, 0) }
        case .create(let path, let text, let mode, let flags):
            return try create(at(path), text, mode, flags)
        case .append(let path, let text):
            let file = try Posix.open(path: at(path), flags: O_WRONLY | O_APPEND | O_NOFOLLOW)
            try ok { Glibc.write(file.number, text, text.utf8.count) }
        case .read(let path):
            let file = try Posix.open(path: at(path), flags: O_RDONLY | O_NOFOLLOW)
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Glibc.read(file.number, &bytes, bytes.count)
            if count < 0 { throw Posix.lastError() }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        case .symlink(let path, let target): try ok { Glibc.symlink(target, at(path)) }
        case .readLink(let path):
            var bytes = [CChar](repeating: 0, count: 5000)
            let count = readlink(at(path), &bytes, bytes.count)
            if count < 0 { throw Posix.lastError() }
            return String(
                decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        case .link(let path, let new): try ok { Glibc.link(at(path), at(new)) }
        case .unlink(let path): try ok { Glibc.unlink(at(path)) }
        case .removeDirectory(let path): try ok { rmdir(at(path)) }
        case .rename(let path, let new, let mode):
            try Posix.rename(
                at: AT_FDCWD, Array(at(path).utf8), to: AT_FDCWD, Array(at(new).utf8), mode: mode)
        case .setMode(let path, let mode):
            try ok { chmod(at(path), mode) }
        case .truncate(let path, let size): try ok { Glibc.truncate(at(path), off_t(size)) }
        case .setTime(let path, let time):
            try Posix.setTimes(
                at: AT_FDCWD, Array(at(path).utf8), accessed: .set(time), modified: .set(time))
        case .status(let path): return try status(at(path))
        case .list(let path): return try list(at(path))
        case .setAttribute(let path, let name, let value, let flags):
            try ok {
                docfs_lsetxattr(at(path), name, value, value.utf8.count, flags)
            }
        case .attribute(let path, let name):
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = docfs_lgetxattr(at(path), name, &bytes, bytes.count)
            if count < 0 { throw Posix.lastError() }
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        case .removeAttribute(let path, let name): try ok { docfs_lremovexattr(at(path), name) }
        case .attributeList(let path):
            var bytes = [CChar](repeating: 0, count: 65536)
            let count = docfs_llistxattr(at(path), &bytes, bytes.count)
            if count < 0 { throw Posix.lastError() }
            return bytes.prefix(count).split(separator: 0).map {
                String(decoding: $0.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }.sorted().joined(separator: ",")
        }
        return "done"
    }

    private func ok(_ call: () -> some SignedInteger) throws {
        if call() < 0 { throw Posix.lastError() }
    }

    private func create(_ path: String, _ text: String, _ mode: UInt32, _ flags: Int32) throws
        -> String
    {
        let file = try Posix.open(
            path: path, flags: O_WRONLY | O_CREAT | O_NOFOLLOW | flags, mode: mode)
        if !text.isEmpty { try ok { pwrite(file.number, text, text.utf8.count, 0) } }
        return "done"
    }

    private func status(_ path: String) throws -> String {
        let status = try Posix.status(at: AT_FDCWD, Array(path.utf8))
        return summary(
            mode: status.mode, links: status.links, owner: status.owner, group: status.group,
            size: status.size, modified: status.modified)
    }

    private func list(_ path: String) throws -> String {
        let directory = try Posix.open(path: path, flags: O_RDONLY | O_DIRECTORY)
        return try DirectoryStream.names(at: directory.number).sorted()
            .map(\.description).joined(separator: ",")
    }
}
