internal import Glibc

/// The inotify watches on a folder's directories, and what an event at one of them means.
///
/// A directory is reported and listed only **after** its watch was set, so that nothing that
/// appears in it is missed. Who has found it before, in its parent, may have seen what went since,
/// of which no event tells: ``StoreEvent/watched(_:)``.
/// Names below a directory called `.docfs` are nobody's documents; of the root's own only `log` is
/// watched, and first. Directories beyond fs.inotify.max_user_watches are remembered: ``unseen``
/// tells of them, and they are tried again. What programs write into files that they keep open is
/// reported now and then (``GrowingFiles``). Belongs to one watcher's thread.
struct WatchTree {
    private let root: Descriptor
    private let inotify: Inotify
    private let reporter: EventReporter
    private var paths: [Int32: ItemPath] = [:]
    private var watches: [ItemPath: Int32] = [:]
    /// Directories that could not be watched, or not be listed then, though they are there: what is
    /// below them is not known.
    private var unwatched: [ItemPath] = []
    /// Directories that this process may not list: their parents tell when that changes.
    private var closed: Set<ItemPath> = []
    /// Why some of those could not be watched, in words, and whether for want of room.
    private var reason = ""
    private var isFull = false
    /// When they are tried again.
    private var nextTry: UInt64 = 0
    private var growing = GrowingFiles()

    private static let control = ItemPath(".docfs")
    private static let log = ItemPath(".docfs/log")
    private static let marker = Name("container.json")
    private static let documents =
        Inotify.written | Inotify.closedAfterWriting | Inotify.movedFrom | Inotify.movedTo
        | Inotify.created | Inotify.removed | Inotify.attributes | Inotify.selfMoved
        | Inotify.selfRemoved
    private static let arrivals = Inotify.created | Inotify.movedTo
    private static let departures = Inotify.movedFrom | Inotify.removed
    private static let records = arrivals | departures | Inotify.closedAfterWriting

    init(root: Descriptor, inotify: Inotify, reporter: EventReporter) {
        self.root = root
        self.inotify = inotify
        self.reporter = reporter
    }

    /// Sets all watches, the change log's first; false when the watcher was stopped meanwhile.
    mutating func begin() -> Bool {
        watch(Self.control)
        watch(Self.log)
        return addTree(.root, reporting: false)
    }

    /// Why not all changes are seen, in words; `nil` when they are.
    var unseen: String? { unwatched.isEmpty ? nil : reason }

    /// Nanoseconds between two attempts to watch what could not be watched.
    private static let patience: UInt64 = 1_000_000_000

    /// Watches what could not be watched before, as far as there is room now; false when the
    /// watcher was stopped meanwhile.
    mutating func watchMore() -> Bool {
        let now = Posix.bootTime()
        guard now >= nextTry else { return true }
        nextTry = now + Self.patience
        var rest = unwatched[...]
        unwatched = []
        isFull = false
        // One that may not be read keeps none of the others waiting.
        while !isFull, let path = rest.popLast() {
            if path == Self.control {
                watch(path)
                // It may have come since.
                watch(Self.log)
            } else if path == Self.log {
                watch(path)
            } else if !addTree(path, reporting: false) {
                return false
            }
        }
        unwatched = Array(rest) + unwatched
        return true
    }

    /// Drops all watches.
    ///
    /// Their last events mean nothing to a later tree.
    mutating func end() {
        for watch in paths.keys { inotify.unwatch(watch) }
        paths = [:]
        watches = [:]
        unwatched = []
        closed = []
    }

    /// Whether files are being written into that ``reportGrowth()`` has to report.
    var hasGrowth: Bool { !growing.isEmpty }

    /// Reports files that are being written into, each when it is time.
    mutating func reportGrowth() {
        if growing.isEmpty { return }
        for path in growing.due(at: Posix.bootTime()) { reporter.report(.changed(path)) }
    }

    /// Reports what an event means; false when the tree has to be built anew.
    mutating func take(_ event: Inotify.Event) -> Bool {
        if event.mask & Inotify.overflow != 0 { return false }
        guard let directory = paths[event.watch] else { return true }
        if event.mask & Inotify.watchEnded != 0 {
            forget(directory)
            return true
        }
        let selfGone = Inotify.selfMoved | Inotify.selfRemoved | Inotify.unmounted
        if event.mask & selfGone != 0 {
            // Any other directory's parent tells of it.
            return !directory.isRoot && event.mask & Inotify.unmounted == 0
        }
        guard let name = event.name else { return true }
        if directory == Self.log {
            reporter.report(.logGrew)
        } else if directory == Self.control {
            if name.bytes == Self.log.name?.bytes {
                watch(Self.log)
                reporter.report(.logGrew)
            }
            // The marker is looked at with the log.
            if name.bytes == Self.marker.bytes { reporter.report(.logGrew) }
            if event.mask & Self.departures != 0 { reporter.report(.lookAtEverything) }
        } else {
            return take(event, of: name, in: directory)
        }
        return true
    }

    private mutating func take(_ event: Inotify.Event, of name: Name, in directory: ItemPath)
        -> Bool
    {
        let path = directory.appending(name)
        if name.bytes == AttachedFolder.controlName {
            // The container's own directory came or went: everything hangs on it.
            return !directory.isRoot || event.mask & Inotify.attributes != 0
        }
        if event.mask & Inotify.isDirectory != 0 {
            if event.mask & Self.departures != 0 { removeTree(path) }
            if event.mask & Self.arrivals != 0 {
                // A directory that took this name before is another one now.
                removeTree(path)
                return addTree(path, reporting: true)
            }
            for path in closed.filter({ $0.isAtOrBelow(path) }) {
                closed.remove(path)
                if !addTree(path, reporting: true) { return false }
            }
        }
        // cp -p and rsync set a file's attributes before they close it.
        let isOpen = event.mask & Inotify.attributes != 0 && growing.follows(path)
        if isOpen || event.mask & Inotify.written != 0 {
            if growing.grew(path, at: Posix.bootTime()) { return true }
        } else {
            growing.ended(path)
        }
        if event.mask & Inotify.created != 0, isBeingWritten(name, in: directory) { return true }
        reporter.report(.changed(path))
        return true
    }

    /// Whether a name that was just created is a plain file that its maker has open: an event
    /// follows when something is written into it, and when it is closed.
    ///
    /// A file that was linked here is older than its last change.
    private func isBeingWritten(_ name: Name, in directory: ItemPath) -> Bool {
        guard let parent = try? AttachedFolder.open(directory, below: root, flags: Posix.pathOnly),
            let status = try? Posix.status(at: parent.number, name.bytes)
        else { return false }
        return status.isRegularFile && status.links == 1 && status.modified == status.changed
    }

    // MARK: Watches

    /// Watches one directory; nil when it is none, has gone, or there is no room.
    @discardableResult
    private mutating func watch(_ path: ItemPath) -> Descriptor? {
        let mask =
            switch path {
            case Self.control, Self.log: Self.records
            default: Self.documents
            }
        do throws(DocFSError) {
            let directory = try AttachedFolder.open(path, below: root, flags: O_RDONLY)
            let number = try inotify.watch(directory.number, mask)
            if let former = paths[number] { watches[former] = nil }
            paths[number] = path
            watches[path] = number
            return directory
        } catch {
            miss(path, error)
            return nil
        }
    }

    /// A directory could not be watched or listed; what has gone needs not to be.
    private mutating func miss(_ path: ItemPath, _ error: DocFSError) {
        if error == .notFound || error == .notDirectory { return }
        if error == .accessDenied, !path.isRoot, !AttachedFolder.isOwn(path) {
            closed.insert(path)
            return
        }
        unwatched.append(path)
        if error == .diskFull {
            isFull = true
            reason = InotifyLimit.watches.sentence
        } else if !isFull {
            reason = error.sentence
        }
    }

    private mutating func forget(_ path: ItemPath) {
        guard let number = watches.removeValue(forKey: path) else { return }
        paths[number] = nil
    }

    /// Watches a directory and all below it, and reports them with what is in them when they are
    /// new; false when the watcher was stopped meanwhile.
    private mutating func addTree(_ top: ItemPath, reporting: Bool) -> Bool {
        var pending = [top]
        while let path = pending.popLast() {
            if inotify.wait(milliseconds: 0) { return false }
            let watched = watch(path)
            if reporting { reporter.report(.changed(path)) }
            guard let directory = watched else { continue }
            if reporting { reporter.report(.watched(path)) }
            do throws(DocFSError) {
                let stream = try DirectoryStream(at: directory.number)
                while let entry = try stream.next() {
                    guard entry.name.isValid, entry.name.bytes != AttachedFolder.controlName else {
                        continue
                    }
                    let child = path.appending(entry.name)
                    if isDirectory(entry, in: directory) {
                        pending.append(child)
                    } else if reporting {
                        reporter.report(.changed(child))
                    }
                }
            } catch {
                miss(path, error)
            }
        }
        return true
    }

    private func isDirectory(_ entry: DirectoryStream.Entry, in directory: Descriptor) -> Bool {
        if entry.type != 0 { return entry.type == UInt8(DT_DIR) }
        // It may have gone; what cannot be looked at cannot be watched either.
        let status = try? Posix.status(at: directory.number, entry.name.bytes)
        return status?.isDirectory ?? false
    }

    private mutating func removeTree(_ top: ItemPath) {
        unwatched.removeAll { $0.isAtOrBelow(top) }
        closed = closed.filter { !$0.isAtOrBelow(top) }
        guard watches[top] != nil else { return }
        for (path, number) in watches where path.isAtOrBelow(top) {
            inotify.unwatch(number)
            paths[number] = nil
            watches[path] = nil
        }
    }
}
