import Testing

@testable import DocFS

/// Showing what the store has, where most of a new container is shown in one go.
struct ShowingTests {
    private let device: TestDevice

    init() throws { device = try TestDevice("alice", store: MemoryStore()) }

    @Test("What was shown is planned as reading it again would have it")
    func shown() throws {
        let body = { (size: UInt64) in
            ItemContent.file(Body(size: size, digest: nil, revision: Revision("\(size)")))
        }
        let link = ItemContent.symlink(target: Array("doc".utf8), revision: Revision("link"))
        var conflict = state("conflict", in: .root, body(2))
        conflict.conflictOf = ConflictMark(of: item(1), madeFrom: Revision("0"))
        let states = [
            state("doc", in: .root, body(1)), state("empty", in: .root, body(0)),
            state("link", in: .root, link), state("directory", in: .root, .directory),
            state("below", in: item(4), body(3)), conflict,
        ]
        try device.catalog.write { (write) throws(DocFSError) in
            for (index, state) in states.enumerated() { try set(item(index + 1), state, write) }
            // Somebody else's, in a directory that is not shown itself yet.
            try set(item(7), state("hidden", in: .root, .directory), write)
            try set(item(8), state("in it", in: item(7), body(4)), write)
            var applier = applier(write)
            for number in [4, 5, 1, 2, 3, 6, 8] {
                guard try applier.apply(.show, to: applier.trio(item(number))) == .done,
                    let shown = applier.shown
                else { throw .notFound }
                let read = try applier.trio(item(number))
                guard shown.row == read.row, shown.local == read.local,
                    shown.base == read.base, shown.remote == read.remote,
                    shown.remoteHasChildren == read.remoteHasChildren,
                    shown.handover == nil, shown.lodges == read.lodges,
                    shown.standsIn == read.standsIn, shown.writer == read.writer
                else { throw .corrupt("\(number): \(shown) is \(read)") }
            }
        }
    }

    @Test("Events tell of what is shown under the name that its directory has by then")
    func directoryMoves() throws {
        let paths = try device.catalog.write { (write) throws(DocFSError) -> [ItemPath?] in
            let body = ItemContent.file(Body(size: 1, digest: nil, revision: Revision("1")))
            try set(item(1), state("one", in: .root, .directory), write)
            for number in 2...3 {
                try set(item(number), state(Name("\(number)"), in: item(1), body), write)
            }
            var applier = applier(write)
            func show(_ number: Int) throws(DocFSError) {
                guard try applier.apply(.show, to: applier.trio(item(number))) == .done else {
                    throw .notFound
                }
            }
            try show(2)
            try set(item(1), state("two", in: .root, .directory), write)
            guard try applier.apply(.relocate, to: applier.trio(item(1))) == .done else {
                throw .notFound
            }
            try show(3)
            return applier.events.filter { $0.kind == .arrived }.map(\.path)
        }
        #expect(paths == ["one/2", "two/3"])
    }

    private func item(_ number: Int) -> ItemID { ItemID(high: 0, low: UInt64(number)) }

    private func state(_ name: Name, in parent: ItemID, _ content: ItemContent) -> ItemState {
        let mode: UInt16 = content == .directory ? 0o755 : 0o644
        return ItemState(
            parent: parent, name: name, metadata: Metadata(mode: mode, modified: .zero),
            content: content)
    }

    private func set(_ item: ItemID, _ state: ItemState, _ write: CatalogWriter)
        throws(DocFSError)
    {
        try write.setState(.remote, of: item, scope: device.scope.id, to: state)
    }

    private func applier(_ write: CatalogWriter) -> LocalApplier {
        LocalApplier(
            write: write, scope: device.scope,
            settings: SyncSettings(deviceName: "alice", settle: 0, poll: 0, owner: 0, group: 0),
            replica: device.replica, now: .zero, newItem: { ItemID(high: 1, low: 1) },
            bodies: KnownBodies())
    }
}
