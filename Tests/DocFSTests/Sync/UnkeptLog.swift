import DocFS
import Foundation
import Glibc
import Testing

/// A catalog's log that cannot be synced: something else has the descriptor that it is synced by.
struct UnkeptLog {
    private let descriptor: Int32
    private let kept: Int32

    init(of catalog: String) throws {
        let found = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            .compactMap { Int32($0) }
            .first { descriptor in
                let path = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(descriptor)")
                return path == catalog + "-wal"
                    && fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDONLY
            }
        descriptor = try #require(found, "the catalog syncs its log by another descriptor")
        kept = dup(descriptor)
        var pipe: [Int32] = [0, 0]
        Glibc.pipe(&pipe)
        dup2(pipe[0], descriptor)
        for end in pipe { close(end) }
    }

    func mend() {
        dup2(kept, descriptor)
        close(kept)
    }
}
