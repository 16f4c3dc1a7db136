import Glibc
import TestSupport

@testable import DocFS

/// What a catalog knew at some moment, to be what it knows again: it loses its end.
struct Kept {
    private static let ends = ["", "-wal", "-shm"]
    private let fixture: CloudFixture

    init(_ fixture: CloudFixture) throws {
        self.fixture = fixture
        try copy(to: "kept", from: "catalog")
    }

    /// The catalog goes back; the contents stay.
    func bringBack() throws {
        for end in Self.ends { unlink(fixture.path + "/catalog" + end) }
        unlink(fixture.path + "/catalog-open")
        try copy(to: "catalog", from: "kept")
    }

    private func copy(to new: String, from old: String) throws {
        for end in Self.ends where access("\(fixture.path)/\(old)\(end)", F_OK) == 0 {
            let bytes = try Posix.contents(ofPath: "\(fixture.path)/\(old)\(end)")
            let file = try Posix.open(
                path: "\(fixture.path)/\(new)\(end)", flags: O_CREAT | O_RDWR, mode: 0o600)
            try Posix.setContents(of: file, to: bytes)
        }
    }
}
