internal import CFuse
internal import Glibc
internal import Synchronization

/// Tells the kernel what it must ask anew, on one thread that nobody waits for.
///
/// An invalidation blocks as long as the kernel holds the directory's lock, which may be as long
/// as a request of ours is unanswered: so every call only queues, and the queue is drained by a
/// thread that takes no lock of ours while it talks to the kernel. Made before the session, since
/// the scopes need it first; what is said before a session is attached concerns nobody.
package final class Invalidator: KernelInvalidator {
    private enum Change: Hashable {
        case entry(parent: FileNumber, name: Name)
        case removed(parent: FileNumber, name: Name, child: FileNumber)
        case unused(parent: FileNumber, name: Name, child: FileNumber)
        case attributes(FileNumber)
        case content(FileNumber)
        case cold(ColdEntries.Entry)
    }

    private struct State {
        var waiting: [Change] = []
        /// The same, to tell each only once: what still waits covers what happened since.
        var known: Set<Change> = []
        var isStopped = false

        mutating func take() -> [Change] {
            defer { (waiting, known) = ([], []) }
            return waiting
        }
    }

    /// What an attached session gives.
    private struct Kernel: @unchecked Sendable {
        let session: OpaquePointer
        let inodes: InodeTable
    }

    private let state = Mutex(State())
    private let kernel = Mutex<Kernel?>(nil)
    /// Signalled when there is something to do, and when the thread has ended.
    private let work = Wakeup()
    private let end = Wakeup()

    package init() {}

    package func entryChanged(in parent: FileNumber, _ name: Name) {
        enqueue(.entry(parent: parent, name: name))
    }

    package func entryRemoved(in parent: FileNumber, _ name: Name, child: FileNumber) {
        enqueue(.removed(parent: parent, name: name, child: child))
    }

    package func entryUnused(in parent: FileNumber, _ name: Name, child: FileNumber) {
        enqueue(.unused(parent: parent, name: name, child: child))
    }

    package func attributesChanged(of number: FileNumber) { enqueue(.attributes(number)) }

    package func contentChanged(of number: FileNumber) { enqueue(.content(number)) }

    /// The kernel is to forget a name that nobody uses.
    func forget(_ entry: ColdEntries.Entry) { enqueue(.cold(entry)) }

    package func renumbered(_ old: FileNumber, to new: FileNumber) {
        kernel.withLock { $0?.inodes }?.renumber(old, to: new)
    }

    /// Starts the thread.
    ///
    /// `session` must live until ``stop()`` has returned.
    func attach(session: OpaquePointer, inodes: InodeTable) {
        kernel.withLock { kernel in
            precondition(kernel == nil, "one session per invalidator")
            kernel = Kernel(session: session, inodes: inodes)
            nonisolated(unsafe) let session = session
            OwnThread.start(name: "docfs-inval") { [self] in
                while let changes = next() {
                    for change in changes where !isStopped { tell(session, inodes, change) }
                }
                end.signal()
            }
        }
    }

    /// Drops what waits and returns when the thread has ended.
    ///
    /// The session must still be served, so that an invalidation in progress gets its directory's
    /// lock.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            _ = state.take()
        }
        work.signal()
        if kernel.withLock({ $0 != nil }) { end.wait() }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func enqueue(_ change: Change) {
        let isFirst = state.withLock { state in
            guard !state.isStopped, state.known.insert(change).inserted else { return false }
            state.waiting.append(change)
            return state.waiting.count == 1
        }
        if isFirst { work.signal() }
    }

    /// What waits, taken; sleeps until there is something; `nil` at the end.
    private func next() -> [Change]? {
        while true {
            work.wait()
            let (changes, isStopped) = state.withLock { state in
                (state.take(), state.isStopped)
            }
            if isStopped { return nil }
            if !changes.isEmpty { return changes }
        }
    }

    /// The kernel answers ENOENT for what it does not remember: nothing to do then.
    private func tell(_ session: OpaquePointer, _ inodes: InodeTable, _ change: Change) {
        switch change {
        case .entry(let parent, let name):
            for node in inodes.nodes(of: parent) { expire(session, node, name) }
        case .removed(let parent, let name, let child):
            for node in inodes.nodes(of: parent) {
                for child in inodes.nodes(of: child) {
                    withName(name) { fuse_lowlevel_notify_delete(session, node, child, $0, $1) }
                }
                // Whatever else the kernel believes of the name, also that it is absent.
                expire(session, node, name)
            }
        case .cold(let entry):
            guard inodes.isIdle(entry.node) else { return }
            withName(entry.name) {
                fuse_lowlevel_notify_inval_entry(session, entry.parent, $0, $1)
            }
        case .unused(let parent, let name, let child):
            guard inodes.nodes(of: child).allSatisfy(inodes.isIdle) else { return }
            for node in inodes.nodes(of: parent) {
                withName(name) { fuse_lowlevel_notify_inval_entry(session, node, $0, $1) }
            }
        case .attributes(let number):
            for node in inodes.nodes(of: number) {
                fuse_lowlevel_notify_inval_inode(session, node, -1, 0)
            }
        case .content(let number):
            for node in inodes.nodes(of: number) {
                fuse_lowlevel_notify_inval_inode(session, node, 0, 0)
            }
        }
    }

    /// Expiring leaves the name where it is until it is asked for again.
    ///
    /// Invalidating would unhash it: a directory that is some process's working directory had no
    /// path any more. Kernels before 6.2 know nothing else.
    private func expire(_ session: OpaquePointer, _ parent: UInt64, _ name: Name) {
        withName(name) { text, length in
            let result = fuse_lowlevel_notify_expire_entry(
                session, parent, text, length, FUSE_LL_EXPIRE_ONLY)
            if result != -ENOSYS { return result }
            return fuse_lowlevel_notify_inval_entry(session, parent, text, length)
        }
    }

    private func withName(_ name: Name, _ body: (UnsafePointer<CChar>, Int) -> Int32) {
        (name.bytes + [0]).withUnsafeBytes {
            _ = body($0.baseAddress!.assumingMemoryBound(to: CChar.self), name.bytes.count)
        }
    }
}
