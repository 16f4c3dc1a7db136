internal import Glibc

/// What a daemon leaves in its state directory about its mount, so that the next one can clear
/// up after it: who it was and which connection is its own.
package struct MountRecord: Hashable, Sendable {
    /// The daemon, by process id and start time (clock ticks after boot, proc(5)): ids are reused.
    package var process: Int32
    package var started: UInt64
    package var point: String
    /// The connection (the device's minor number); `nil` from just before the mount is made until
    /// it is known.
    package var connection: UInt32?

    private static let name = Array("mount".utf8)

    package init(process: Int32, started: UInt64, point: String, connection: UInt32?) {
        self.process = process
        self.started = started
        self.point = point
        self.connection = connection
    }

    /// A record of this process.
    package static func own(point: String) throws(DocFSError) -> MountRecord {
        guard let started = ProcessStatus(getpid())?.started else { throw .noDevice }
        return MountRecord(process: getpid(), started: started, point: point, connection: nil)
    }

    /// Reads the record in `state`; `nil` when there is none that can be read.
    package init?(in state: StateDirectory) {
        guard let bytes = state.contents(of: MountRecord.name) else { return nil }
        self.init(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Lines of process, start, connection (`-` when not known), and the mount point up to the end.
    package init?(text: String) {
        let lines = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, let process = Int32(lines[0]), let started = UInt64(lines[1]),
            lines[3].hasPrefix("/"), lines[3].hasSuffix("\n")
        else { return nil }
        self.init(
            process: process, started: started, point: String(lines[3].dropLast()),
            connection: UInt32(lines[2]))
    }

    package var text: String {
        "\(process)\n\(started)\n\(connection.map(String.init) ?? "-")\n\(point)\n"
    }

    package func save(in state: StateDirectory) throws(DocFSError) {
        try state.replace(MountRecord.name, with: Array(text.utf8))
    }

    /// The mount is gone in order.
    package static func remove(from state: StateDirectory) {
        do throws(DocFSError) {
            try Posix.unlink(at: state.directory.number, name)
        } catch {
            // Left behind it names a process that is gone and a mount that is not there: harmless.
        }
    }

    /// Whether the daemon of this record is alive: the same process, not a zombie, and with no
    /// SIGKILL on its way to a thread that cannot take it.
    package var isAlive: Bool {
        guard let status = ProcessStatus(process) else { return false }
        return status.started == started && !status.isEnding
    }
}
