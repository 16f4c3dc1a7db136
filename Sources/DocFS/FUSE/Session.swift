internal import CFuse
internal import Glibc
package import Logging
internal import Synchronization

/// One mount: the connection to the kernel and what it needs to be answered.
///
/// A life: `init`, ``mount()``, ``serve(whenReady:)`` on one thread until ``stop()`` from another
/// or an unmount from outside, ``stop()`` again, then only ``close()``. The session is kept alive
/// by whoever serves it; libfuse holds a bare pointer.
package final class Session: @unchecked Sendable {
    let namespace: Namespace
    /// `.docfs`, where it is served.
    let control: (any ControlRequests)?
    let inodes: InodeTable
    let handles = HandleTable()
    let cold: ColdEntries
    let parked = ParkedReads()
    let pollers = Pollers()
    /// Whether the disk's own filesystem takes us for root, and leaves set-id bits to us.
    let isPrivileged = geteuid() == 0

    /// Whether files may be passed through; taken back for good when the kernel does not let us.
    private let passesThrough: Atomic<Bool>
    /// What the kernel said of files that it was to pass through, as far as the log tells.
    private let toldRefusals = Mutex<Set<Int32>>([])

    private let invalidator: Invalidator
    private let options: SessionOptions
    private let log: Logger
    /// Set by `init`, taken back by ``close()``, constant between.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    private var raw: OpaquePointer!
    /// The connection's number while it is mounted.
    private let mounted = Mutex<UInt32?>(nil)
    private let ready = Mutex<(@Sendable () -> Void)?>(nil)

    package init(
        namespace: Namespace, control: (any ControlRequests)?, invalidator: Invalidator,
        options: SessionOptions, log: Logger
    ) throws(SessionFailure) {
        self.namespace = namespace
        self.control = control
        self.invalidator = invalidator
        self.options = options
        passesThrough = Atomic(options.passesThrough)
        self.log = log
        inodes = InodeTable(
            known: { number in
                number.isControl ? control?.retain(number) : namespace.retain(number)
            },
            unknown: { number in
                number.isControl ? control?.forget(number) : namespace.forget(number)
            })
        cold = ColdEntries(limit: options.namesKept)
        LibfuseLog.send(to: log)
        raw = try makeSession()
    }

    private func makeSession() throws(SessionFailure) -> OpaquePointer {
        var operations = Operations.table
        let words = ["docfs", "-o", options.text].map { (word: String) in strdup(word) }
        defer { for word in words { free(word) } }
        var pointers = words + [nil]
        let session = pointers.withUnsafeMutableBufferPointer { pointers in
            var arguments = fuse_args(argc: 3, argv: pointers.baseAddress, allocated: 0)
            defer { fuse_opt_free_args(&arguments) }
            return docfs_session_new(
                &arguments, &operations, Unmanaged.passUnretained(self).toOpaque())
        }
        guard let session else { throw SessionFailure("libfuse refused its options") }
        return session
    }

    /// Mounts, and returns the number of the connection (the minor number of the mount's device).
    ///
    /// From here on the kernel waits for ``serve(whenReady:)``.
    package func mount() throws(SessionFailure) -> UInt32 {
        if options.passesThrough { docfs_session_pass_through() }
        guard docfs_session_mount(raw, options.mountPoint) == 0 else {
            throw SessionFailure("cannot mount at \(options.mountPoint)")
        }
        guard let mount = MountTable.current(at: options.mountPoint),
            mount.type == SessionOptions.mountType
        else { throw SessionFailure("the mount at \(options.mountPoint) went at once") }
        mounted.withLock { $0 = mount.minor }
        invalidator.attach(session: raw, inodes: inodes)
        return mount.minor
    }

    /// Answers requests on this thread and others until the session stops or the mount goes.
    ///
    /// `whenReady` is called once the kernel and we agreed on how to talk.
    package func serve(whenReady: @escaping @Sendable () -> Void) {
        ready.withLock { $0 = whenReady }
        _ = docfs_session_loop(raw, options.threads)
    }

    /// INIT was answered.
    func becomeReady() { ready.withLock { $0.take() }?() }

    // MARK: Passthrough

    /// Registers the file behind a handle with the kernel; `nil` where that is not wanted or not
    /// possible, and we serve the file.
    func register(_ file: OpenFile) -> Int32? {
        guard case .offered(let descriptor) = file.backing, passesThrough.load(ordering: .relaxed)
        else { return nil }
        let backing =
            docfs_session_passes_through() != 0
            ? docfs_backing_open(raw, descriptor.number) : -EPERM
        if backing == -EPERM { passesThrough.store(false, ordering: .relaxed) }
        tell(refusal: -min(backing, 0))
        return backing > 0 ? backing : nil
    }

    /// Tells the log of each outcome once.
    private func tell(refusal: Int32) {
        guard toldRefusals.withLock({ $0.insert(refusal).inserted }) else { return }
        switch refusal {
        case 0: log.info("files are passed through to the kernel")
        case EPERM: log.info("files are not passed through: it takes Linux 6.9 and CAP_SYS_ADMIN")
        default: log.info("a file is not passed through: \(String(cString: strerror(refusal)))")
        }
    }

    func unregister(_ backing: Int32) { docfs_backing_close(raw, backing) }

    /// The kernel is to ask for the attributes of `number` anew.
    func attributesChanged(of number: FileNumber) { invalidator.attributesChanged(of: number) }

    /// What the kernel has in memory of `number` is not what is there.
    func contentChanged(of number: FileNumber) { invalidator.contentChanged(of: number) }

    /// Counts the kernel's knowledge of `attributes` under `name`, which it is told with this
    /// answer.
    ///
    /// What is forgotten for it is no directory and not open.
    func remember(_ attributes: FileAttributes, _ name: Name, in parent: UInt64) -> UInt64 {
        let remembered = inodes.remember(attributes.number)
        if remembered.isNew, attributes.mode & S_IFMT != S_IFDIR,
            let oldest = cold.add(
                ColdEntries.Entry(parent: parent, node: remembered.node, name: name))
        {
            invalidator.forget(oldest)
        }
        return remembered.node
    }

    /// Ends the mount in order; may be called again, from any thread but those that serve.
    ///
    /// Invalidations end first, while our answers still free the directories that they wait for;
    /// then no new path reaches the mount; waiting reads are answered; what programs still ask is
    /// answered until the loop stands.
    package func stop() {
        mounted.withLock { mounted in
            guard let minor = mounted else { return }
            mounted = nil
            invalidator.stop()
            detach(minor)
            parked.stop()
            docfs_session_stop(raw)
            pollers.stop()
        }
    }

    /// Unless somebody else did, or has mounted over us.
    private func detach(_ minor: UInt32) {
        guard MountTable.current(at: options.mountPoint)?.minor == minor else { return }
        do throws(DocFSError) {
            try Posix.detachMount(at: options.mountPoint)
        } catch {
            log.error("cannot unmount \(options.mountPoint): \(error.sentence)")
        }
    }

    /// Lets go of everything that programs left open, and of the connection.
    ///
    /// After ``serve(whenReady:)`` has returned and ``stop()`` was called.
    package func close() {
        for object in handles.removeAll() {
            switch object {
            case let file as OpenFile: namespace.close(file)
            case let directory as OpenDirectory: namespace.closeDirectory(directory)
            default: break
            }
        }
        fuse_session_destroy(raw)
        raw = nil
    }
}
