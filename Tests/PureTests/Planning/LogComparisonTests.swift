import Testing

@testable import DocFS

/// What becomes of what a device has when the change log was taken up once more (S23).
struct LogComparisonTests {
    /// - Parameter modified: seconds.
    private func file(_ revision: String, digest: [UInt8]? = nil, modified: Int64 = 1)
        -> ItemState
    {
        let time = Timestamp(seconds: modified, nanoseconds: 0)
        return ItemState(
            parent: .root, name: "doc", metadata: Metadata(mode: 0o644, modified: time),
            content: .file(
                Body(
                    size: 5, digest: digest.map { SHA256.digest(of: $0) },
                    revision: Revision(revision))))
    }

    private var directory: ItemState {
        ItemState(
            parent: .root, name: "dir", metadata: Metadata(mode: 0o755, modified: .zero),
            content: .directory)
    }

    @Test(
        "What the container does not know is made once more, if it is here",
        arguments: [
            LogRepair.container, .device,
        ])
    func unknown(_ repair: LogRepair) {
        for (base, isHere, wanted) in [
            (file("2"), true, LogComparison.new), (file("2"), false, .asPlanned),
            (directory, true, .new),
        ] {
            #expect(
                LogComparison(repair, base: base, remote: nil, isHere: isHere, isBeside: false)
                    == wanted)
        }
    }

    @Test("Other bytes come beside or over what the container has, and are never given up")
    func other() {
        func outcome(
            _ repair: LogRepair, isHere: Bool = true, isBeside: Bool = false, modified: Int64 = 0
        ) -> LogComparison {
            LogComparison(
                repair, base: file("2", digest: [2]),
                remote: file("1", digest: [1], modified: modified), isHere: isHere,
                isBeside: isBeside)
        }
        #expect(outcome(.container) == .beside)
        #expect(outcome(.device) == .over)
        // Another device has sent a newer one.
        #expect(outcome(.device, modified: 2) == .beside)
        // Another device has brought them.
        #expect(outcome(.container, isBeside: true) == .asPlanned)
        #expect(outcome(.container, isHere: false) == .asPlanned)
        #expect(outcome(.device, isHere: false) == .described)
    }

    @Test("The same bytes are no news, whatever revision they have")
    func same() {
        for remote in [file("2", digest: [2]), file("1", digest: [2])] {
            let base = file("2", digest: [2])
            #expect(
                LogComparison(
                    .container, base: base, remote: remote, isHere: true, isBeside: false)
                    == .asPlanned)
            #expect(
                LogComparison(.device, base: base, remote: remote, isHere: true, isBeside: false)
                    == .described)
        }
    }
}
