internal import Glibc

/// The watched directories of `Local/`, with all that readers of events know of their entries.
///
/// inotify(7) says where to look; what has happened is found out by comparing the disk with what
/// was known, so that a save is one edit, however its editor writes, and that nothing is missed
/// where the kernel's queue overflows. Belongs to one thread.
struct LocalWatchTree {
    /// What is known of an entry.
    private struct Entry {
        let file: LocalIdentity
        let mode: UInt32
        let owner: UInt32
        let links: UInt32
        let size: UInt64
        let modified: Timestamp
        let changed: Timestamp

        init(_ status: FileStatus) {
            file = LocalIdentity(status)
            mode = status.mode
            owner = status.owner
            links = status.links
            size = status.size
            modified = status.modified
            changed = status.changed
        }

        var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

        /// Whether this, the same file, is another one to a reader.
        ///
        /// - Parameter hint: what the kernel has told of it.
        func differs(from old: Entry, _ hint: Hint) -> Bool {
            if mode != old.mode || owner != old.owner { return true }
            // What comes into a directory or goes is no edit of it.
            if isDirectory { return false }
            if size != old.size || modified != old.modified { return true }
            // Attributes leave no other trace, and neither does another name of the file.
            return hint.hasAttributes && links == old.links && changed != old.changed
        }
    }

    private struct Directory {
        /// `nil` for `Local/` itself.
        var parent: LocalIdentity?
        var name: Name
        var watch: Int32?
        var entries: [Name: Entry] = [:]
    }

    /// What the kernel has told of a name since it was looked at.
    private struct Hint {
        var cameByMove = false
        var wentByMove = false
        var hasAttributes = false
    }

    /// What a look has found that has come or gone, to be put together.
    private struct Batch {
        struct Gone {
            let path: ItemPath
            let entry: Entry
            let byMove: Bool
            let directory: LocalIdentity
            /// The directory that it has gone with, or itself.
            let top: LocalIdentity
        }

        struct Came {
            let path: ItemPath
            let entry: Entry
            let byMove: Bool
        }

        var gone: [Gone] = []
        var came: [Came] = []
        var edited: [LocalChange] = []
    }

    private let root: Descriptor
    private let top: LocalIdentity
    private let inotify: Inotify
    /// The name that is not shown where a filesystem begins.
    private let hidden: Name
    private var directories: [LocalIdentity: Directory] = [:]
    private var watches: [Int32: LocalIdentity] = [:]
    private var hints: [LocalIdentity: [Name: Hint]] = [:]
    private var hasOverflowed = false
    private var count = 0
    /// Why not everything is watched, in words; `nil` when it is.
    private(set) var trouble: String?

    private static let mask =
        Inotify.created | Inotify.removed | Inotify.movedFrom | Inotify.movedTo
        | Inotify.closedAfterWriting | Inotify.attributes
    /// So many entries are known at most; each takes some 150 bytes of memory.
    private static let capacity = 200_000

    init(root: Descriptor, hidden: Name, inotify: Inotify) throws(DocFSError) {
        self.root = root
        self.hidden = hidden
        self.inotify = inotify
        top = LocalIdentity(try Posix.status(of: root.number))
    }

    // MARK: Directories

    /// Watches everything.
    ///
    /// - Parameter isWanted: asked at each directory.
    mutating func begin(while isWanted: () -> Bool) {
        _ = add(top, in: nil, Name(""), isNews: false, while: isWanted)
    }

    private func path(of directory: LocalIdentity) -> ItemPath {
        var names: [Name] = []
        var next = directories[directory]
        while let known = next, let parent = known.parent, names.count < ItemPath.maximumDepth {
            names.append(known.name)
            next = directories[parent]
        }
        return ItemPath(names.reversed())
    }

    /// A directory where it is now; `nil` where it is not, or cannot be read.
    private func open(_ directory: LocalIdentity) -> Descriptor? {
        guard directories[directory] != nil else { return nil }
        // Somebody else's are nobody's business, and what has gone is told by its parent.
        guard
            let folder = try? Posix.openBeneath(
                root.number, path(of: directory).bytes, flags: O_RDONLY | O_DIRECTORY),
            let status = try? Posix.status(of: folder.number), LocalIdentity(status) == directory
        else { return nil }
        return folder
    }

    private func isShown(_ name: Name, in directory: LocalIdentity) -> Bool {
        if name != hidden { return true }
        guard let parent = directories[directory]?.parent else { return false }
        return parent.device == directory.device
    }

    /// Watches a directory and all below it.
    ///
    /// It is listed after its watch was set, so that nothing that comes into it is missed.
    ///
    /// - Parameter isNews: whether what is in it is to be told of.
    /// - Returns: what is to be told of.
    private mutating func add(
        _ directory: LocalIdentity, in parent: LocalIdentity?, _ name: Name, isNews: Bool,
        while isWanted: () -> Bool = { true }
    ) -> [Batch.Came] {
        var came: [Batch.Came] = []
        var pending = [(directory, parent, name)]
        while let (directory, parent, name) = pending.popLast(), isWanted() {
            // One that is mounted in several places is shown in the first.
            guard directories[directory] == nil else { continue }
            directories[directory] = Directory(parent: parent, name: name)
            guard let folder = open(directory), watch(directory, folder) else {
                directories[directory] = nil
                continue
            }
            let path = path(of: directory)
            // What cannot be listed to its end is known as far as it was.
            for name in (try? DirectoryStream.names(at: folder.number)) ?? []
            where isShown(name, in: directory) {
                guard let entry = entry(name, folder) else { continue }
                directories[directory]?.entries[name] = entry
                count += 1
                if isNews {
                    came.append(
                        Batch.Came(path: path.appending(name), entry: entry, byMove: false))
                }
                if entry.isDirectory { pending.append((entry.file, directory, name)) }
            }
        }
        return came
    }

    /// - Returns: whether there was room.
    private mutating func watch(_ directory: LocalIdentity, _ folder: Descriptor) -> Bool {
        guard count < Self.capacity else {
            trouble = "there are more than \(Self.capacity) files in it"
            return false
        }
        do throws(DocFSError) {
            let watch = try inotify.watch(folder.number, Self.mask)
            directories[directory]?.watch = watch
            watches[watch] = directory
            return true
        } catch .diskFull {
            trouble = InotifyLimit.watches.sentence
        } catch {
            trouble = error.sentence
        }
        return false
    }

    private func entry(_ name: Name, _ folder: Descriptor) -> Entry? {
        // Another program may have removed it; what cannot be looked at is not there for us.
        guard let status = try? Posix.statusIfPresent(at: folder.number, name.bytes) else {
            return nil
        }
        return Entry(status)
    }

    /// A directory has gone, with all below it, as part of `top`.
    private mutating func remove(
        _ directory: LocalIdentity, _ path: ItemPath, with top: LocalIdentity,
        _ batch: inout Batch
    ) {
        var pending = [(directory, path)]
        while let (next, path) = pending.popLast() {
            guard let known = directories.removeValue(forKey: next) else { continue }
            if let watch = known.watch {
                watches[watch] = nil
                inotify.unwatch(watch)
            }
            count -= known.entries.count
            for (name, entry) in known.entries {
                let path = path.appending(name)
                batch.gone.append(
                    Batch.Gone(
                        path: path, entry: entry, byMove: false, directory: next, top: top))
                if entry.isDirectory, directories[entry.file]?.parent == next {
                    pending.append((entry.file, path))
                }
            }
        }
    }

    // MARK: Changes

    /// Whether nothing has changed since the last look.
    var isSettled: Bool { hints.isEmpty && !hasOverflowed }

    mutating func take(_ event: Inotify.Event) {
        if event.mask & Inotify.overflow != 0 { hasOverflowed = true }
        guard let directory = watches[event.watch] else { return }
        if event.mask & Inotify.watchEnded != 0 {
            watches[event.watch] = nil
            directories[directory]?.watch = nil
        }
        guard let name = event.name, isShown(name, in: directory) else { return }
        var hint = hints[directory]?[name] ?? Hint()
        if event.mask & Inotify.movedTo != 0 { hint.cameByMove = true }
        if event.mask & Inotify.movedFrom != 0 { hint.wentByMove = true }
        if event.mask & Inotify.attributes != 0 { hint.hasAttributes = true }
        hints[directory, default: [:]][name] = hint
    }

    /// Looks at all that has changed since the last look.
    ///
    /// - Returns: what readers are to know: first what goes, the deepest before all, then what
    ///   comes, the uppermost before all.
    mutating func settle() -> [LocalChange] {
        if hasOverflowed { suspectAll() }
        var (rest, batch) = (hints, Batch())
        hints = [:]
        // A directory that has moved is found once its new one was looked at.
        var isFound = true
        while isFound, !rest.isEmpty {
            isFound = false
            for (directory, names) in rest {
                guard let folder = open(directory) else { continue }
                rest[directory] = nil
                look(at: names, in: directory, folder, &batch)
                isFound = true
            }
        }
        for gone in batch.gone where gone.entry.isDirectory {
            guard let known = directories[gone.entry.file], known.parent == gone.directory,
                known.name == gone.path.name
            else { continue }
            remove(gone.entry.file, gone.path, with: gone.top, &batch)
        }
        return Self.changes(of: batch)
    }

    /// Nobody knows any more what has changed.
    private mutating func suspectAll() {
        hasOverflowed = false
        for (directory, known) in directories {
            guard let folder = open(directory) else { continue }
            // What cannot be listed is looked at by the names that are known.
            let names = (try? DirectoryStream.names(at: folder.number)) ?? []
            for name in names + known.entries.keys where isShown(name, in: directory) {
                hints[directory, default: [:]][name, default: Hint()].cameByMove = true
                hints[directory, default: [:]][name, default: Hint()].wentByMove = true
            }
        }
    }

    private mutating func look(
        at names: [Name: Hint], in directory: LocalIdentity, _ folder: Descriptor,
        _ batch: inout Batch
    ) {
        let above = path(of: directory)
        for (name, hint) in names {
            let path = above.appending(name)
            let old = directories[directory]?.entries[name]
            let new = entry(name, folder)
            directories[directory]?.entries[name] = new
            if let old, let new {
                let isSame = old.file == new.file
                if isSame, new.isDirectory, let known = directories[new.file], known.watch == nil {
                    // Another one, with the inode of the one that has gone.
                    come(new.file, to: directory, name, &batch)
                    continue
                }
                if isSame ? new.differs(from: old, hint) : !old.isDirectory && !new.isDirectory {
                    batch.edited.append(LocalChange(kind: .edited, path: path, file: new.file))
                }
                if isSame || (!old.isDirectory && !new.isDirectory) { continue }
            }
            if let old {
                count -= 1
                batch.gone.append(
                    Batch.Gone(
                        path: path, entry: old, byMove: hint.wentByMove, directory: directory,
                        top: old.file))
            }
            if let new {
                count += 1
                batch.came.append(
                    Batch.Came(path: path, entry: new, byMove: hint.cameByMove))
                if new.isDirectory { come(new.file, to: directory, name, &batch) }
            }
        }
    }

    /// A directory has come, from elsewhere in `Local/` or as a new one.
    private mutating func come(
        _ file: LocalIdentity, to directory: LocalIdentity, _ name: Name, _ batch: inout Batch
    ) {
        if directories[file]?.watch != nil {
            directories[file]?.parent = directory
            directories[file]?.name = name
            return
        }
        // One that has gone had the same inode.
        if directories[file] != nil { remove(file, path(of: file), with: file, &batch) }
        batch.came += add(file, in: directory, name, isNews: true)
    }

    /// Puts together what has gone here and come there.
    private static func changes(of batch: Batch) -> [LocalChange] {
        var moved: [LocalIdentity: ItemPath] = [:]
        for gone in batch.gone where gone.byMove { moved[gone.entry.file] = gone.path }
        var came: [LocalChange] = []
        var left: Set<ItemPath> = []
        for one in batch.came {
            var kind = LocalChange.Kind.made
            if one.byMove, let former = moved.removeValue(forKey: one.entry.file) {
                kind = .moved(from: former)
                left.insert(former)
            }
            came.append(LocalChange(kind: kind, path: one.path, file: one.entry.file))
        }
        var changes: [LocalChange] = []
        for one in batch.gone where !left.contains(one.path) {
            changes.append(LocalChange(kind: .deleted, path: one.path, file: one.top))
        }
        changes.sort { ($1.path.components.count, $0.path) < ($0.path.components.count, $1.path) }
        return changes + came.sorted { $0.path < $1.path }
            + batch.edited.sorted { $0.path < $1.path }
    }
}
