internal import Glibc

/// The watched directories of `Local/`, with all that readers of events know of their entries.
///
/// inotify(7) says where to look; what has happened is found out by comparing the disk with what
/// was known, so that a save is one edit, however its editor writes. Where the kernel's queue has
/// overflowed, everything is looked at. Filesystems that are mounted below are not watched.
/// Belongs to one thread.
struct LocalWatchTree {
    /// Where a directory is; `Local/` itself is nowhere.
    private struct Place: Hashable {
        let parent: LocalIdentity
        let name: Name
    }

    private struct Directory {
        var place: Place?
        var watch: Int32
        var entries: [Name: LocalEntry] = [:]
    }

    /// What the kernel has told of a name since it was looked at.
    private struct Hint {
        var went = LocalBatch.Moved.no
        var hasAttributes = false

        func joined(with other: Hint) -> Hint {
            Hint(
                went: went == .no ? other.went : went,
                hasAttributes: hasAttributes || other.hasAttributes)
        }
    }

    private let root: Descriptor
    private let top: LocalIdentity
    private let inotify: Inotify
    /// The name at the top that is not shown.
    private let hidden: Name
    private let capacity: Int
    private var directories: [LocalIdentity: Directory] = [:]
    private var watches: [Int32: LocalIdentity] = [:]
    private var hints: [LocalIdentity: [Name: Hint]] = [:]
    /// Those of directories that could not be looked into: with the next ones.
    private var postponed: [LocalIdentity: [Name: Hint]] = [:]
    private var hasOverflowed = false
    /// While changes are put together: where directories were before, what has come, and what has
    /// changed where it is, `file` being the one that has taken its place.
    private var former: [LocalIdentity: Place] = [:]
    private var came: [Place: (entry: LocalEntry, hasAttributes: Bool)] = [:]
    private var edited: [Place: LocalIdentity?] = [:]
    private var count = 0
    /// Why not everything is watched, in words; `nil` when it is.
    private(set) var trouble: String?

    private static let mask =
        Inotify.created | Inotify.removed | Inotify.movedFrom | Inotify.movedTo
        | Inotify.closedAfterWriting | Inotify.attributes

    /// - Parameters:
    ///   - hidden: the name at the top that is nobody's business.
    ///   - capacity: how many entries are known at most, in all directories; each takes some 250
    ///     bytes of memory.
    init(root: Descriptor, hidden: Name, inotify: Inotify, capacity: Int = 200_000)
        throws(DocFSError)
    {
        self.root = root
        self.hidden = hidden
        self.inotify = inotify
        self.capacity = capacity
        top = LocalIdentity(try Posix.status(of: root.number))
    }

    /// Watches everything.
    ///
    /// - Parameter isWanted: asked at each directory.
    mutating func begin(while isWanted: () -> Bool) {
        var batch = LocalBatch()
        add(top, at: nil, in: root, isNews: false, &batch, while: isWanted)
    }

    // MARK: Places

    private func path(of directory: LocalIdentity, before isBefore: Bool = false) -> ItemPath {
        var names: [Name] = []
        var next = directory
        while names.count < ItemPath.maximumDepth {
            var place = directories[next]?.place
            if isBefore, let old = former[next] { place = old }
            guard let place else { break }
            names.append(place.name)
            next = place.parent
        }
        return ItemPath(names.reversed())
    }

    /// What is at a path, if it is this directory; `nil` where it is not, or cannot be read.
    private func open(_ directory: LocalIdentity, at path: ItemPath) -> Descriptor? {
        open(directory, below: root, path.bytes)
    }

    private func open(_ directory: LocalIdentity, below above: Descriptor, _ path: [UInt8])
        -> Descriptor?
    {
        // Somebody else's are nobody's business, and what has gone is told by its parent.
        guard
            let folder = try? Posix.openBeneath(
                above.number, path, flags: O_RDONLY | O_DIRECTORY),
            let status = try? Posix.status(of: folder.number), LocalIdentity(status) == directory
        else { return nil }
        return folder
    }

    private func isShown(_ name: Name, in directory: LocalIdentity) -> Bool {
        directory != top || name != hidden
    }

    private func entry(_ name: Name, _ folder: Descriptor) -> LocalEntry? {
        // Another program may have removed it; what cannot be looked at is not there for us.
        guard let status = try? Posix.statusIfPresent(at: folder.number, name.bytes) else {
            return nil
        }
        return LocalEntry(status)
    }

    // MARK: Directories

    /// Watches a directory and all below it, or finds out that it is one that has moved here.
    ///
    /// It is listed after its watch was set, so that nothing that comes into it is missed.
    ///
    /// - Parameters:
    ///   - above: the directory that it is in.
    ///   - isNews: whether what is in it has come.
    private mutating func add(
        _ directory: LocalIdentity, at place: Place?, in above: Descriptor, isNews: Bool,
        _ batch: inout LocalBatch, while isWanted: () -> Bool = { true }
    ) {
        var pending = [(directory, place, above)]
        while let (directory, place, above) = pending.popLast(), isWanted() {
            // What is mounted there has no events of other computers, and may not answer.
            guard directory.device == top.device else { continue }
            guard let folder = open(directory, below: above, place?.name.bytes ?? []),
                let watch = watch(folder)
            else { continue }
            if let known = directories[directory] {
                if known.watch == watch {
                    batch.add(known: directory)
                    move(directory, to: place)
                    continue
                }
                // One that has gone had the same inode.
                batch.add(another: directory)
                forget(directory, with: directory, &batch)
            }
            guard count < capacity else {
                inotify.unwatch(watch)
                trouble = "there are more than \(capacity) files in it"
                continue
            }
            directories[directory] = Directory(place: place, watch: watch)
            watches[watch] = directory
            pending += list(directory, folder, isNews)
        }
    }

    private mutating func move(_ directory: LocalIdentity, to place: Place?) {
        guard let old = directories[directory]?.place, let place else { return }
        // Mounted in two places, it is where it was seen first.
        if let home = open(old.parent, at: path(of: old.parent)),
            entry(old.name, home)?.file == directory
        {
            return
        }
        if former[directory] == nil { former[directory] = old }
        directories[directory]?.place = place
    }

    /// - Returns: the directories in it.
    private mutating func list(
        _ directory: LocalIdentity, _ folder: Descriptor, _ isNews: Bool
    ) -> [(LocalIdentity, Place?, Descriptor)] {
        var below: [(LocalIdentity, Place?, Descriptor)] = []
        // What cannot be listed to its end is known as far as it was.
        guard let stream = try? DirectoryStream(at: folder.number) else { return [] }
        while let name = (try? stream.next())??.name {
            guard name.isValid, isShown(name, in: directory), let entry = entry(name, folder) else {
                continue
            }
            guard count < capacity else {
                trouble = "there are more than \(capacity) files in it"
                break
            }
            count += 1
            directories[directory]?.entries[name] = entry
            let place = Place(parent: directory, name: name)
            if isNews { came[place] = (entry, false) }
            if entry.isDirectory { below.append((entry.file, place, folder)) }
        }
        return below
    }

    private mutating func watch(_ folder: Descriptor) -> Int32? {
        do throws(DocFSError) {
            return try inotify.watch(folder.number, Self.mask)
        } catch .diskFull {
            trouble = InotifyLimit.watches.sentence
        } catch {
            trouble = error.sentence
        }
        return nil
    }

    /// A directory has gone, as part of `top`, with all below it that has not moved elsewhere.
    private mutating func forget(
        _ directory: LocalIdentity, with top: LocalIdentity, _ batch: inout LocalBatch
    ) {
        var pending = [directory]
        while let next = pending.popLast() {
            let path = path(of: next, before: true)
            guard let known = directories.removeValue(forKey: next) else { continue }
            if former[next] == nil { former[next] = known.place }
            if watches[known.watch] == next {
                watches[known.watch] = nil
                inotify.unwatch(known.watch)
            }
            count -= known.entries.count
            let hints = postponed.removeValue(forKey: next) ?? [:]
            for (name, entry) in known.entries {
                // Nobody has been told of what has come just now.
                if came.removeValue(forKey: Place(parent: next, name: name)) == nil {
                    batch.add(
                        gone: path.appending(name), entry, with: top,
                        moved: hasOverflowed ? .perhaps : hints[name]?.went ?? .no)
                }
                if isHome(next, name, of: entry) { pending.append(entry.file) }
            }
        }
    }

    /// Whether a watched directory is known to be there.
    private func isHome(_ parent: LocalIdentity, _ name: Name, of entry: LocalEntry) -> Bool {
        guard entry.isDirectory, let place = directories[entry.file]?.place else { return false }
        return place.parent == parent && place.name == name
    }

    /// What is known to be at a path, with everything below it.
    private func everything(at top: ItemPath) -> [(path: ItemPath, entry: LocalEntry)] {
        var parent = self.top
        for name in top.components.dropLast() {
            guard let entry = directories[parent]?.entries[name] else { return [] }
            parent = entry.file
        }
        guard let name = top.name, let entry = directories[parent]?.entries[name] else { return [] }
        var found = [(path: top, entry: entry)]
        var pending = isHome(parent, name, of: entry) ? [(entry.file, top)] : []
        var seen: Set<LocalIdentity> = []
        while let (next, path) = pending.popLast() {
            guard seen.insert(next).inserted else { continue }
            for (name, entry) in directories[next]?.entries ?? [:] {
                found.append((path.appending(name), entry))
                if isHome(next, name, of: entry) {
                    pending.append((entry.file, path.appending(name)))
                }
            }
        }
        return found
    }

    // MARK: Changes

    /// Whether nothing has changed since the last look.
    var isSettled: Bool { hints.isEmpty && !hasOverflowed }

    mutating func take(_ event: Inotify.Event) {
        if event.mask & Inotify.overflow != 0 { hasOverflowed = true }
        guard let directory = watches[event.watch] else { return }
        if event.mask & Inotify.watchEnded != 0 {
            watches[event.watch] = nil
            // Another one may have its name, and its inode.
            if let place = directories[directory]?.place {
                hints[place.parent, default: [:]][place.name, default: Hint()].hasAttributes = true
            }
        }
        guard let name = event.name, isShown(name, in: directory) else { return }
        var hint = hints[directory]?[name] ?? Hint()
        if event.mask & Inotify.movedFrom != 0 { hint.went = .yes }
        if event.mask & Inotify.attributes != 0 { hint.hasAttributes = true }
        hints[directory, default: [:]][name] = hint
    }

    /// Looks at all that has changed since the last look.
    ///
    /// - Returns: what readers are to know, in an order that they can follow.
    mutating func settle() -> [LocalChange] {
        postponed.merge(hints) { old, new in old.merging(new) { $0.joined(with: $1) } }
        hints = [:]
        if hasOverflowed { for directory in directories.keys { postponed[directory] = [:] } }
        var batch = LocalBatch()
        // A directory that has moved is found once its new one was looked at.
        var isFound = true
        while isFound {
            isFound = false
            for (directory, names) in postponed {
                // One that has gone is found by its parent, and so is another one in its place.
                guard let known = directories[directory],
                    hasOverflowed || watches[known.watch] == directory
                else { continue }
                let path = path(of: directory)
                guard let folder = open(directory, at: path) else { continue }
                look(at: names, in: directory, folder, &batch)
                postponed[directory] = nil
                isFound = true
            }
        }
        forgetGone(&batch)
        // Now everything is known to be where it is.
        for (place, one) in came where directories[place.parent]?.entries[place.name] == one.entry {
            batch.add(
                came: path(of: place.parent).appending(place.name), one.entry,
                hasAttributes: one.hasAttributes)
        }
        for (place, file) in edited where directories[place.parent]?.entries[place.name] != nil {
            batch.add(edited: path(of: place.parent).appending(place.name), file)
        }
        (came, edited) = ([:], [:])
        let changes = batch.changes { everything(at: $0) }
        former = [:]
        postponed = hasOverflowed ? [:] : postponed.filter { directories[$0.key] != nil }
        hasOverflowed = false
        return changes
    }

    /// Directories that are where they were no more, and have not been found elsewhere, have gone.
    private mutating func forgetGone(_ batch: inout LocalBatch) {
        var reached: Set<LocalIdentity> = [top]
        var (gone, lost): ([LocalIdentity], [LocalIdentity]) = ([], [])
        for directory in directories.keys {
            var (next, chain): (LocalIdentity, [LocalIdentity]) = (directory, [])
            while !reached.contains(next), chain.count <= ItemPath.maximumDepth, isAtHome(next) {
                chain.append(next)
                next = directories[next]?.place?.parent ?? top
            }
            if reached.contains(next) {
                reached.formUnion(chain)
            } else if chain.isEmpty {
                gone.append(directory)
            } else {
                lost.append(directory)
            }
        }
        // With those that have gone themselves goes all below them.
        for directory in gone + lost { forget(directory, with: directory, &batch) }
    }

    /// Whether its parent has a directory where it is known to be.
    private func isAtHome(_ directory: LocalIdentity) -> Bool {
        guard let place = directories[directory]?.place,
            let entry = directories[place.parent]?.entries[place.name]
        else { return false }
        return entry.isDirectory && entry.file == directory
    }

    private mutating func look(
        at names: [Name: Hint], in directory: LocalIdentity, _ folder: Descriptor,
        _ batch: inout LocalBatch
    ) {
        var names = names
        if hasOverflowed {
            // It may be another one, which nobody watches yet: the number tells.
            if let watch = watch(folder), let former = directories[directory]?.watch {
                watches[former] = nil
                watches[watch] = directory
                directories[directory]?.watch = watch
            }
            let hint = Hint(went: .perhaps, hasAttributes: true)
            for name in directories[directory]?.entries.keys.map({ $0 }) ?? [] {
                names[name] = hint
            }
            // What cannot be listed is looked at by the names that are known.
            for name in (try? DirectoryStream.names(at: folder.number)) ?? []
            where isShown(name, in: directory) {
                names[name] = hint
            }
        }
        let before = self.path(of: directory, before: true)
        let now = names.map { name, hint in (name, hint, entry(name, folder)) }
        // What goes makes room.
        for isThere in [false, true] {
            for (name, hint, entry) in now where (entry != nil) == isThere {
                let place = Place(parent: directory, name: name)
                look(at: place, entry, hint, in: folder, before.appending(name), &batch)
            }
        }
    }

    /// - Parameters:
    ///   - found: what has the name now.
    ///   - before: the path that the place had before.
    private mutating func look(
        at place: Place, _ found: LocalEntry?, _ hint: Hint, in folder: Descriptor,
        _ before: ItemPath, _ batch: inout LocalBatch
    ) {
        let old = directories[place.parent]?.entries[place.name]
        var new = found
        if old == nil, new != nil, count >= capacity {
            trouble = "there are more than \(capacity) files in it"
            new = nil
        }
        directories[place.parent]?.entries[place.name] = new
        count += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        if let old, let new, old.isSame(as: new) {
            if new.differs(from: old, hint.hasAttributes) { edited[place] = .some(nil) }
            // It may have another directory's inode, or could not be read until now.
            let isWatched = directories[new.file].map { watches[$0.watch] == new.file } ?? false
            if new.isDirectory, !isWatched {
                add(new.file, at: place, in: folder, isNews: true, &batch)
            }
            return
        }
        if let old, let new, !old.isDirectory, !new.isDirectory {
            edited[place] = new.file
            return
        }
        if let old { batch.add(gone: before, old, with: old.file, moved: hint.went) }
        if let new {
            came[place] = (new, hint.hasAttributes)
            if new.isDirectory { add(new.file, at: place, in: folder, isNews: true, &batch) }
        }
    }
}
