internal import Glibc
package import Logging
internal import Synchronization

/// Brings back the edits that the store did not have when the catalog, or the end of it, was lost.
///
/// The content files of the lost catalog lie aside; those that hold edits say which document they
/// belong to. Once a container is attached and shown, each edit is copied beside its document,
/// whole, and takes the document's name by one rename under the base that it was made from. Syncing
/// then treats it as any other save: sent, or kept as a conflict version beside what came
/// meanwhile. A file is removed when its bytes are in their new place; an interrupted salvage goes
/// on at the next start.
package final class Salvage: Sendable {
    private let clouds: [CloudScope]
    /// The scopes whose containers are made anew: what lies there is yet to be found.
    private let new: Set<Int64>
    private let lost: LostCatalog
    private let catalog: Catalog
    private let contents: Contents
    private let invalidator: any KernelInvalidator
    private let log: Logger
    private let nobody: Caller

    private enum Work { case none, underWay, again }
    private let work = Mutex(Work.none)

    /// So often the log of a new container has not grown.
    private static let looksAtNew = 6

    /// How often a document that the store has is waited for until it is shown.
    private static let patience = 200

    package init(
        clouds: [CloudScope], new: Set<Int64> = [], lost: LostCatalog, catalog: Catalog,
        contents: Contents,
        invalidator: any KernelInvalidator, log: Logger
    ) {
        self.clouds = clouds
        self.new = new
        self.lost = lost
        self.catalog = catalog
        self.contents = contents
        self.invalidator = invalidator
        self.log = log
        nobody = Caller(user: geteuid(), group: getegid(), thread: 0)
    }

    /// Starts in the background, if there is anything to bring back.
    ///
    /// While it is under way it looks once more: something was put aside since.
    package func start() {
        // What cannot be looked at now may hold edits: that is told of when it stays so.
        if (try? lost.isEmpty()) == true { return }
        let isFirst = work.withLock { work in
            defer { work = work == .none ? .underWay : .again }
            return work == .none
        }
        guard isFirst else { return }
        OwnThread.start(name: "salvage") { [self] in
            repeat { bringBackEverything() } while isMore()
        }
    }

    private func isMore() -> Bool {
        work.withLock { work in
            defer { work = work == .again ? .underWay : .none }
            return work == .again
        }
    }

    private func bringBackEverything() {
        var rest = clouds
        var anchors: [Int64: (anchor: UInt64, looks: Int)] = [:]
        var rounds: [Int64: Int] = [:]
        while !rest.isEmpty {
            for scope in rest where isKnown(scope, &anchors) {
                rounds[scope.id, default: 0] += 1
                if bringBack(to: scope, isLast: rounds[scope.id]! > Self.patience) {
                    rest.removeAll { $0.id == scope.id }
                }
            }
            usleep(700_000)
        }
    }

    /// Whether the scope's container has been read to its end, as far as can be told: it is online,
    /// and its log did not grow since the last look, or the last few of a new one.
    private func isKnown(
        _ scope: CloudScope, _ anchors: inout [Int64: (anchor: UInt64, looks: Int)]
    ) -> Bool {
        // Asked again in a moment.
        let record = try? catalog.read { (read) throws(DocFSError) in try read.scope(scope.id) }
        guard let record = record ?? nil, record.container != nil,
            catalog.bulletin.health(of: scope.id).isOnline
        else { return false }
        let last = anchors[scope.id]
        let looks = last?.anchor == record.anchor ? (last?.looks ?? 0) + 1 : 0
        anchors[scope.id] = (record.anchor, looks)
        return looks >= (new.contains(scope.id) ? Self.looksAtNew : 1)
    }

    /// - Returns: whether all is done that can be done.
    private func bringBack(to scope: CloudScope, isLast: Bool) -> Bool {
        var isDone = true
        do throws(DocFSError) {
            try lost.eachFolder { (folder) throws(DocFSError) in
                if try !bringBack(from: folder, to: scope, isLast: isLast) { isDone = false }
            }
        } catch {
            // Looked at again, until the patience ends; then the next start does.
            if !isLast { return false }
            log.error("edits that were put aside may not all be back: \(error.sentence)")
        }
        return isDone
    }

    /// - Returns: whether all is done in a directory that can be done.
    private func bringBack(from folder: Descriptor, to scope: CloudScope, isLast: Bool)
        throws(DocFSError) -> Bool
    {
        var isDone = true
        for name in try DirectoryStream.names(at: folder.number) {
            do throws(DocFSError) {
                let file = try Posix.open(
                    at: folder.number, name.bytes, flags: O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
                guard let edit = try LostEdit(file), edit.label.scope == scope.name else {
                    continue
                }
                let isShown = try isShown(edit, in: scope)
                guard isLast || isShown else {
                    isDone = false
                    continue
                }
                try bringBack(edit, to: scope)
                try catalog.makeDurable()
                try Posix.unlink(at: folder.number, name.bytes)
                log.notice("brought back the edit of \(scope.name)/\(edit.label.path)")
            } catch {
                log.error("an edit is kept in \(name): \(error.sentence)")
            }
        }
        return isDone
    }

    /// Whether the document, if the store has it, is shown by now.
    private func isShown(_ edit: LostEdit, in scope: CloudScope) throws(DocFSError) -> Bool {
        try catalog.read { (read) throws(DocFSError) in
            if try read.state(.remote, of: edit.label.item, scope: scope.id) == nil { return true }
            return try read.local(item: edit.label.item, scope: scope.id) != nil
        }
    }

    private func bringBack(_ edit: LostEdit, to scope: CloudScope) throws(DocFSError) {
        let known = try catalog.read { (read) throws(DocFSError) in
            try read.local(item: edit.label.item, scope: scope.id)
        }
        guard let known, known.isFile, let parent = known.parent else {
            return try make(edit, in: directory(at: edit.label.path.parent, scope), scope)
        }
        if edit.isHeld(by: known) { return }
        let directory = FileNumber(row: parent)
        // What somebody has written here since is never written over.
        guard known.divergence == .none, case .none = contents.writer(of: known.ino) else {
            return try make(edit, in: directory, scope)
        }
        let staged = try stage(edit, in: directory, scope)
        try scope.rename(
            staged, in: directory, to: known.name, in: directory, mode: .replace, caller: nobody,
            madeFrom: edit.label.basis ?? Revision(""))
        invalidator.entryChanged(in: directory, known.name)
        invalidator.attributesChanged(of: directory)
    }

    /// Makes a document anew, beside whatever has its name.
    private func make(_ edit: LostEdit, in directory: FileNumber, _ scope: CloudScope)
        throws(DocFSError)
    {
        guard let plain = edit.label.path.name else { return }
        let staged = try stage(edit, in: directory, scope)
        var name = plain
        for attempt in 0... {
            do throws(DocFSError) {
                try scope.rename(
                    staged, in: directory, to: name, in: directory, mode: .noReplace,
                    caller: nobody)
                break
            } catch .exists {
                name = SiblingName.make(
                    for: plain, device: "lost catalog", time: edit.status.modified,
                    attempt: attempt)
            }
        }
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

    /// Copies the edit into a file that lives on this device only, durably.
    private func stage(_ edit: LostEdit, in directory: FileNumber, _ scope: CloudScope)
        throws(DocFSError) -> Name
    {
        let name = Name(".docfs-salvage-\(edit.label.item).part")
        do throws(DocFSError) {
            try scope.unlink(name, in: directory, caller: nobody)
        } catch .notFound {}
        let (_, target, _) = try scope.create(
            name, in: directory, mode: 0o644, flags: O_RDWR | O_CREAT | O_EXCL, caller: nobody)
        defer { scope.close(target) }
        var done: UInt64 = 0
        while done < edit.status.size {
            let offset = done
            let length = min(edit.status.size - done, 1 << 20)
            let count = try scope.write(target, at: offset, length: Int(length)) {
                (descriptor) throws(DocFSError) in
                Int(
                    try Posix.copy(
                        from: edit.file.number, to: descriptor, at: offset, length: length))
            }
            if count == 0 { throw .bodyChanged }
            done += UInt64(count)
        }
        var change = AttributeChange()
        change.modified = .set(edit.status.modified)
        _ = try scope.setAttributes(of: target.number, change, through: target, caller: nobody)
        try scope.sync(target, dataOnly: false)
        return name
    }
}
