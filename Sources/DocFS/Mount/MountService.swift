internal import CFuse
internal import Glibc
package import Logging
internal import Synchronization

/// The whole daemon: everything composed, mounted, served, and taken down in order.
package final class MountService: Sendable {
    /// What is composed below the kernel's front.
    package struct Composition: Sendable {
        package let namespace: Namespace
        package let control: (any ControlRequests)?
        /// Sends what waits, as long as that may take; called once, when there was a mount and the
        /// kernel asks nothing any more.
        package let farewell: @Sendable () -> Void
        /// Ends that at once, from any thread; it sends nothing if it has not begun.
        package let hasten: @Sendable () -> Void
        /// Ends every engine and makes durable what is queued; called once, at the very end.
        package let stop: @Sendable () -> Void

        package init(
            namespace: Namespace, control: (any ControlRequests)?,
            farewell: @escaping @Sendable () -> Void, hasten: @escaping @Sendable () -> Void,
            stop: @escaping @Sendable () -> Void
        ) {
            self.namespace = namespace
            self.control = control
            self.farewell = farewell
            self.hasten = hasten
            self.stop = stop
        }
    }

    private let configuration: MountConfiguration
    private let log: Logger

    package init(_ configuration: MountConfiguration, log: Logger) {
        self.configuration = configuration
        self.log = log
    }

    /// Mounts and serves until a signal or an unmount; returns when everything is durable.
    ///
    /// `compose` builds everything between the state directory and the front; `whenReady` is
    /// called when the mount answers. Signals must be blocked (``StopSignals/block()``).
    package func run(
        compose: (MountConfiguration, StateDirectory, Invalidator, Logger) throws(MountFailure)
            -> Composition,
        whenReady: @escaping @Sendable () -> Void
    ) throws(MountFailure) {
        // Modes come from the kernel, which has applied the caller's mask already.
        umask(0)
        if let objection = CrashPoint.objection { throw MountFailure(objection) }
        let state = try StateDirectory(path: configuration.state)
        // What a copy says of a mount is about the original's.
        if state.isCopy { MountRecord.remove(from: state) }
        let lock = try state.lock(after: DeadMount.clear(state))
        let point = try MountPoint.checked(configuration.mountPoint)
        let invalidator = Invalidator()
        let composition = try compose(configuration, state, invalidator, log)
        do throws(MountFailure) {
            try serve(composition, invalidator, state, point, whenReady)
        } catch {
            composition.stop()
            throw error
        }
        composition.farewell()
        composition.stop()
        MountRecord.remove(from: state)
        log.info("unmounted \(point)")
        withExtendedLifetime(lock) {}
    }

    private func serve(
        _ composition: Composition, _ invalidator: Invalidator, _ state: StateDirectory,
        _ point: String, _ whenReady: @escaping @Sendable () -> Void
    ) throws(MountFailure) {
        let session = try mount(composition, invalidator, state, point)
        let isOver = Monitor(false)
        StopSignals.watch([
            {
                // Whoever unmounted has ended the session: then it is the farewell that takes long.
                if isOver.withLock({ $0 }) { composition.hasten() } else { session.stop() }
            }, composition.hasten,
        ])
        session.serve { [log] in
            log.info("mounted \(point)")
            whenReady()
        }
        isOver.withLock { $0 = true }
        session.stop()
        session.close()
    }

    /// The record is written before there is a mount, so that a daemon killed in between leaves
    /// no mount that nobody knows, and again with the connection's number.
    private func mount(
        _ composition: Composition, _ invalidator: Invalidator, _ state: StateDirectory,
        _ point: String
    ) throws(MountFailure) -> Session {
        do {
            var record = try MountRecord.own(point: point)
            try save(record, in: state)
            let options = SessionOptions(
                mountPoint: point, allowsOthers: configuration.allowsOthers,
                isReadOnly: configuration.isReadOnly,
                passesThrough: configuration.passesThrough)
            let session = try Session(
                namespace: composition.namespace, control: composition.control,
                invalidator: invalidator, options: options, log: log)
            record.connection = try session.mount()
            try save(record, in: state)
            return session
        } catch let error as DocFSError {
            throw MountFailure("state directory \(state.path): \(error.sentence)")
        } catch let error as MountFailure {
            throw error
        } catch {
            throw MountFailure("\(error)")
        }
    }

    private func save(_ record: MountRecord, in state: StateDirectory) throws(MountFailure) {
        do throws(DocFSError) {
            try record.save(in: state)
        } catch {
            throw StateDirectory.refusal(of: state.path + "/mount", error)
        }
    }
}
