internal import Glibc
package import Logging

/// Brings back the edits that the store did not have when the catalog was lost.
///
/// The content files of the lost catalog lie aside; those that hold edits say which document they
/// belong to. Once a container is attached and known, each edit is written into its document under
/// the base that it was made from, so that syncing treats it as any other: sent, or kept as a
/// conflict version beside what came meanwhile. A file is removed when its bytes are in their new
/// place; an interrupted salvage goes on at the next start.
package struct Salvage: Sendable {
    private let clouds: [CloudScope]
    private let catalog: Catalog
    private let invalidator: any KernelInvalidator
    private let log: Logger
    private let nobody: Caller

    package init(
        clouds: [CloudScope], catalog: Catalog, invalidator: any KernelInvalidator, log: Logger
    ) {
        self.clouds = clouds
        self.catalog = catalog
        self.invalidator = invalidator
        self.log = log
        nobody = Caller(user: geteuid(), group: getegid(), thread: 0)
    }

    /// Starts in the background, if there is anything to bring back.
    ///
    /// - Parameter folders: directories with content files of lost catalogs.
    package func start(_ folders: [Descriptor]) {
        if folders.isEmpty { return }
        OwnThread.start(name: "salvage") { [self] in
            var rest = clouds
            var anchors: [Int64: UInt64] = [:]
            while !rest.isEmpty {
                for scope in rest where isKnown(scope, &anchors) {
                    for folder in folders { bringBack(folder, to: scope) }
                    rest.removeAll { $0.id == scope.id }
                }
                usleep(700_000)
            }
        }
    }

    /// Whether the scope's container has been read to its end, as far as can be told: it is online,
    /// and its log did not grow since the last look.
    private func isKnown(_ scope: CloudScope, _ anchors: inout [Int64: UInt64]) -> Bool {
        let record = try? catalog.read { (read) throws(DocFSError) in try read.scope(scope.id) }
        guard let record = record ?? nil, record.container != nil,
            catalog.bulletin.health(of: scope.id).isOnline
        else { return false }
        defer { anchors[scope.id] = record.anchor }
        return anchors[scope.id] == record.anchor
    }

    private func bringBack(_ folder: Descriptor, to scope: CloudScope) {
        for name in (try? DirectoryStream.names(at: folder.number)) ?? [] {
            do throws(DocFSError) {
                let file = try Posix.open(
                    at: folder.number, name.bytes, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                guard try Posix.status(of: file.number).isRegularFile,
                    let bytes = try Posix.attribute(EditLabel.attribute, of: file.number),
                    let label = EditLabel(bytes: bytes), label.scope == scope.name
                else { continue }
                try bringBack(file, label, to: scope)
                try Posix.unlink(at: folder.number, name.bytes)
                log.notice("brought back the edit of \(scope.name)/\(label.path)")
            } catch {
                log.error("an edit is kept in \(name): \(error.sentence)")
            }
        }
    }

    private func bringBack(_ file: Descriptor, _ label: EditLabel, to scope: CloudScope)
        throws(DocFSError)
    {
        let status = try Posix.status(of: file.number)
        let digest = try FileDigest.compute(file.number, length: status.size)
        let known = try catalog.read { (read) throws(DocFSError) in
            try read.local(item: label.item, scope: scope.id)
        }
        if let known, known.isFile, known.parent != nil {
            if known.sourceDigest == digest, known.size == status.size { return }
            let (target, _) = try scope.open(
                FileNumber(row: known.ino), flags: O_RDWR, caller: nobody)
            defer { scope.close(target) }
            if label.basis != known.basis {
                target.content?.rebase(on: label.basis ?? Revision(""))
            }
            try fill(target, from: file, status, scope)
            invalidator.contentChanged(of: FileNumber(row: known.ino))
        } else {
            try make(label.path, from: file, status, digest, scope)
        }
    }

    /// Makes a document anew, beside whatever has its name.
    private func make(
        _ path: ItemPath, from file: Descriptor, _ status: FileStatus, _ digest: Digest,
        _ scope: CloudScope
    ) throws(DocFSError) {
        let directory = try directory(at: path.parent, scope)
        guard let plain = path.name else { return }
        var name = plain
        for attempt in 0... {
            let row = try catalog.read { (read) throws(DocFSError) in
                try read.child(name, of: directory.row)
            }
            guard let row else { break }
            if row.sourceDigest == digest, row.size == status.size { return }
            name = SiblingName.make(
                for: plain, device: "lost catalog", time: status.modified, attempt: attempt)
        }
        let (_, target, _) = try scope.create(
            name, in: directory, mode: 0o644, flags: O_RDWR | O_CREAT | O_EXCL, caller: nobody)
        defer { scope.close(target) }
        try fill(target, from: file, status, scope)
        invalidator.entryChanged(in: directory, name)
        invalidator.attributesChanged(of: directory)
    }

    private func directory(at path: ItemPath, _ scope: CloudScope) throws(DocFSError) -> FileNumber
    {
        var directory = scope.root
        for name in path.components {
            if let found = try scope.lookup(name, in: directory).attributes {
                guard found.mode & LocalItem.typeMask == LocalItem.typeDirectory else {
                    throw .notDirectory
                }
                directory = found.number
            } else {
                let made = try scope.makeDirectory(
                    name, in: directory, mode: 0o755, caller: nobody)
                invalidator.entryChanged(in: directory, name)
                guard let number = made.attributes?.number else { throw .stale }
                directory = number
            }
        }
        return directory
    }

    private func fill(
        _ target: OpenFile, from file: Descriptor, _ status: FileStatus, _ scope: CloudScope
    ) throws(DocFSError) {
        var change = AttributeChange()
        change.size = 0
        _ = try scope.setAttributes(
            of: target.number, change, through: target, caller: nobody)
        var done: UInt64 = 0
        while done < status.size {
            let offset = done
            let length = min(status.size - done, 1 << 20)
            let count = try scope.write(target, at: offset, length: Int(length)) {
                (descriptor) throws(DocFSError) in
                Int(
                    try Posix.copy(
                        from: file.number, to: descriptor, at: offset, length: length))
            }
            if count == 0 { throw .bodyChanged }
            done += UInt64(count)
        }
        change.size = nil
        change.modified = .set(status.modified)
        _ = try scope.setAttributes(
            of: target.number, change, through: target, caller: nobody)
        try scope.sync(target, dataOnly: false)
    }
}
