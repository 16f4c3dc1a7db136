import CFuse
import Glibc
import TestSupport

@testable import DocFS

/// One call, made on a bare directory and through the scope, whose outcomes are compared.
enum LocalStep: Sendable, CustomStringConvertible {
    case makeDirectory(String, mode: UInt32 = 0o755)
    case makeNode(String, mode: UInt32)
    case create(String, text: String = "", mode: UInt32 = 0o644, flags: Int32 = 0)
    case append(String, String)
    case read(String)
    case symlink(String, to: String)
    case readLink(String)
    case link(String, as: String)
    case unlink(String)
    case removeDirectory(String)
    case rename(String, to: String, RenameMode = .replace)
    case setMode(String, UInt32)
    case truncate(String, UInt64)
    case setTime(String, Timestamp)
    case status(String)
    case list(String)
    case setAttribute(String, String, String, flags: Int32 = 0)
    case attribute(String, String)
    case removeAttribute(String, String)
    case attributeList(String)

    var description: String {
        switch self {
        case .makeDirectory(let path, let mode): "mkdir \(path) \(mode)"
        case .makeNode(let path, let mode): "mknod \(path) \(mode)"
        case .create(let path, let text, _, let flags): "create \(path) \(text.count) \(flags)"
        case .append(let path, let text): "append \(path) \(text.count)"
        case .read(let path): "read \(path)"
        case .symlink(let path, let target): "symlink \(path) -> \(target.prefix(20))"
        case .readLink(let path): "readlink \(path)"
        case .link(let path, let new): "link \(path) \(new)"
        case .unlink(let path): "unlink \(path)"
        case .removeDirectory(let path): "rmdir \(path)"
        case .rename(let path, let new, let mode): "rename \(path) \(new) \(mode)"
        case .setMode(let path, let mode): "chmod \(path) \(mode)"
        case .truncate(let path, let size): "truncate \(path) \(size)"
        case .setTime(let path, let time): "utimens \(path) \(time.seconds)"
        case .status(let path): "stat \(path)"
        case .list(let path): "list \(path)"
        case .setAttribute(let path, let name, _, let flags): "setxattr \(path) \(name) \(flags)"
        case .attribute(let path, let name): "getxattr \(path) \(name)"
        case .removeAttribute(let path, let name): "removexattr \(path) \(name)"
        case .attributeList(let path): "listxattr \(path)"
        }
    }
}

/// Something that steps can be made on.
protocol LocalActor {
    /// What a step answers, in words that are equal when the outcomes are.
    func perform(_ step: LocalStep) throws -> String
}

extension LocalActor {
    func outcome(_ step: LocalStep) -> String {
        do {
            return try perform(step)
        } catch {
            return "\(error)"
        }
    }
}

/// What both actors say of a file, less what is their own: the inode and the times of now.
func summary(
    mode: UInt32, links: UInt32, owner: UInt32, group: UInt32, size: UInt64, modified: Timestamp
) -> String {
    // A time that was set is compared, one of now is not.
    let time = modified.seconds < 1_500_000_000 ? "\(modified)" : "now"
    let size = mode & S_IFMT == S_IFDIR ? 0 : size
    return "\(String(mode, radix: 8)) \(links) \(owner) \(group) \(size) \(time)"
}
