import CFuse
import Glibc
import TestSupport
import Testing

@testable import DocFS

/// Makes steps through the scope, with what Linux does before it asks a filesystem: it looks every
/// component up, and refuses what the types it then knows do not allow.
struct ShownActor: LocalActor {
    let fixture: LocalFixture
    private var scope: LocalScope { fixture.scope }
    private var me: Caller { fixture.me }

    init(_ fixture: LocalFixture) { self.fixture = fixture }

    func perform(_ step: LocalStep) throws -> String {
        switch step {
        case .makeDirectory(let path, let mode):
            let (name, parent) = try absent(path)
            _ = try scope.makeDirectory(name, in: parent, mode: mode, caller: me)
        case .makeNode(let path, let mode):
            let (name, parent) = try absent(path)
            _ = try scope.makeNode(name, in: parent, mode: mode, device: 0, caller: me)
        case .create(let path, let text, let mode, let flags):
            try create(path, text, mode, flags)
        case .append(let path, let text):
            let file = try open(path, O_WRONLY | O_APPEND)
            defer { scope.close(file) }
            try fixture.append(file, text)
            try scope.flush(file)
        case .read(let path):
            let file = try open(path, O_RDONLY)
            defer { scope.close(file) }
            return try fixture.read(file)
        case .symlink(let path, let target):
            let (name, parent) = try absent(path)
            _ = try scope.makeSymlink(
                name, in: parent, target: Array(target.utf8), caller: me)
        case .readLink(let path):
            let target = try found(path)
            guard target.mode & S_IFMT == S_IFLNK else { throw DocFSError.invalidArgument }
            return String(decoding: try scope.readLink(target.number), as: UTF8.self)
        case .link(let path, let new):
            let target = try found(path)
            let (name, parent) = try absent(new)
            if isDirectory(target) { throw DocFSError.notPermitted }
            _ = try scope.link(target.number, as: name, in: parent)
        case .unlink(let path):
            let (name, parent) = try split(path)
            if isDirectory(try found(path)) { throw DocFSError.isDirectory }
            try scope.unlink(name, in: parent)
        case .removeDirectory(let path):
            let (name, parent) = try split(path)
            if !isDirectory(try found(path)) { throw DocFSError.notDirectory }
            try scope.removeDirectory(name, in: parent)
        case .rename(let path, let new, let mode): try rename(path, new, mode)
        case .status(let path):
            let shown = try #require(
                try scope.attributes(of: try found(path).number).attributes)
            return summary(
                mode: shown.mode, links: shown.links, owner: shown.owner, group: shown.group,
                size: shown.size, modified: shown.modified)
        case .list(let path):
            let target = try found(path)
            guard isDirectory(target) else { throw DocFSError.notDirectory }
            return try fixture.list(target.number).map(\.name).sorted()
                .map(\.description).joined(separator: ",")
        case .setMode, .truncate, .setTime: try change(step)
        case .setAttribute, .attribute, .removeAttribute, .attributeList:
            return try attribute(step)
        }
        return "done"
    }

    // MARK: As Linux walks a path

    private func isDirectory(_ file: FileAttributes) -> Bool { file.mode & S_IFMT == S_IFDIR }

    private func found(_ path: String) throws -> FileAttributes {
        var file = try #require(try scope.attributes(of: scope.root).attributes)
        let components = path.split(separator: "/")
        for (index, component) in components.enumerated() {
            if file.mode & S_IFMT == S_IFLNK {
                file = try followed(components.prefix(index).joined(separator: "/"))
            }
            guard isDirectory(file) else { throw DocFSError.notDirectory }
            guard
                let next = try scope.lookup(Name(String(component)), in: file.number).attributes
            else { throw DocFSError.notFound }
            file = next
        }
        return file
    }

    private func split(_ path: String) throws -> (Name, FileNumber) {
        let components = path.split(separator: "/")
        let parent = try followed(components.dropLast().joined(separator: "/"))
        guard isDirectory(parent) else { throw DocFSError.notDirectory }
        return (Name(String(components.last ?? "")), parent.number)
    }

    private func absent(_ path: String) throws -> (Name, FileNumber) {
        let (name, parent) = try split(path)
        if try scope.lookup(name, in: parent).attributes != nil { throw DocFSError.exists }
        return (name, parent)
    }

    private func open(_ path: String, _ flags: Int32) throws -> OpenFile {
        let target = try found(path)
        if target.mode & S_IFMT == S_IFLNK { throw DocFSError.loop }
        if isDirectory(target) { throw DocFSError.isDirectory }
        return try scope.open(target.number, flags: flags, caller: me).0
    }

    private func create(_ path: String, _ text: String, _ mode: UInt32, _ flags: Int32) throws {
        let (name, parent) = try split(path)
        let file: OpenFile
        if try scope.lookup(name, in: parent).attributes == nil {
            file = try scope.create(
                name, in: parent, mode: mode, flags: O_WRONLY | O_CREAT | flags, caller: me
            ).1
        } else {
            if flags & O_EXCL != 0 { throw DocFSError.exists }
            file = try open(path, O_WRONLY | flags)
        }
        defer { scope.close(file) }
        if !text.isEmpty { try fixture.write(file, text) }
        try scope.flush(file)
    }

    private func rename(_ path: String, _ new: String, _ mode: RenameMode) throws {
        let (name, parent) = try split(path)
        let (newName, newParent) = try split(new)
        let source = try found(path)
        let target = try scope.lookup(newName, in: newParent).attributes
        if mode == .noReplace && target != nil { throw DocFSError.exists }
        if mode == .exchange && target == nil { throw DocFSError.notFound }
        if (new + "/").hasPrefix(path + "/") && new != path { throw DocFSError.invalidArgument }
        if (path + "/").hasPrefix(new + "/") && new != path {
            throw mode == .exchange ? DocFSError.invalidArgument : DocFSError.notEmpty
        }
        if target?.number == source.number { return }
        if let target, mode != .exchange {
            if isDirectory(source) && !isDirectory(target) { throw DocFSError.notDirectory }
            if !isDirectory(source) && isDirectory(target) { throw DocFSError.isDirectory }
        }
        try scope.rename(name, in: parent, to: newName, in: newParent, mode: mode)
    }

    // MARK: Attributes

    private func change(_ step: LocalStep) throws {
        var change = AttributeChange()
        let target: FileAttributes
        switch step {
        case .setMode(let path, let mode):
            change.mode = mode
            target = try followed(path)
        case .truncate(let path, let size):
            change.size = size
            target = try followed(path)
            if isDirectory(target) { throw DocFSError.isDirectory }
            if target.mode & S_IFMT != S_IFREG { throw DocFSError.invalidArgument }
        case .setTime(let path, let time):
            change.accessed = .set(time)
            change.modified = .set(time)
            target = try found(path)
        default: return
        }
        _ = try scope.setAttributes(of: target.number, change, caller: me)
    }

    /// As ``found(_:)``, and then where a link points, if anywhere below.
    private func followed(_ path: String) throws -> FileAttributes {
        let target = try found(path)
        guard target.mode & S_IFMT == S_IFLNK else { return target }
        let components = path.split(separator: "/").dropLast()
        let end = String(decoding: try scope.readLink(target.number), as: UTF8.self)
        return try followed((components + [end[...]]).joined(separator: "/"))
    }

    private func attribute(_ step: LocalStep) throws -> String {
        switch step {
        case .setAttribute(let path, let name, let value, let flags):
            try scope.setExtendedAttribute(
                name, of: try found(path).number, value: Array(value.utf8), flags: flags)
        case .attribute(let path, let name):
            return String(
                decoding: try scope.extendedAttribute(name, of: try found(path).number),
                as: UTF8.self)
        case .removeAttribute(let path, let name):
            try scope.removeExtendedAttribute(name, of: try found(path).number)
        case .attributeList(let path):
            return try scope.extendedAttributeNames(of: try found(path).number).sorted()
                .joined(separator: ",")
        default: break
        }
        return "done"
    }
}
