import TestSupport
import Testing

@testable import DocFS

extension CloudStoreConformance {
    /// S30: names are bytes.
    static let names: [Name] = [
        Name([UInt8](repeating: 0x78, count: 255)),
        Name(Array("umlaut-".utf8) + [0xC3, 0xBC]),
        Name(Array("umlaut-u".utf8) + [0xCC, 0x88]),
        Name([0xFF, 0xFE, 0x80]),
        Name([0xC3, 0x28]),
        Name("line\nbreak"), Name("tab\tand\u{7F}"), Name(" "), Name("-rf"), Name("%2F"),
        Name("a+b&c=d?e#f"), Name("..."), Name(".hidden"), Name("CASE"), Name("case"),
        Name("quote\"'`\\"), Name("emoji 🗂️"),
    ]

    @Test(arguments: StoreKind.allCases)
    func everyNameIsKeptByteForByte(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            guard !store.capabilities.foldsNames else { return }
            for name in Self.names {
                let directory = ItemPath([name])
                try await store.makeDirectory(directory, metadata: .of(nil))
                let inside = ItemPath([name, name])
                let info = try await store.create(inside, name.description)
                #expect(info.path == inside)
                #expect(try await store.text(inside) == name.description)
                #expect(try await store.list(directory).map(\.path) == [inside])
            }
            #expect(Set(try await store.list(.root).compactMap(\.path.name)) == Set(Self.names))
            for name in Self.names {
                let inside = ItemPath([name, name])
                var last = try #require(try await store.head(inside))
                if store.capabilities.moves {
                    last = try await store.move(
                        inside, expecting: last.revision, to: ItemPath([name, "moved"]),
                        condition: .absent)
                }
                try await store.remove(last.path, expecting: last.revision!)
                try await store.removeEmptied(ItemPath([name]))
            }
            #expect(try await store.list(.root).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func namesThatNoDirectoryHoldsAreRefused(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let tooLong = ItemPath([Name([UInt8](repeating: 0x61, count: 256))])
            await #expect(throws: DocFSError.nameTooLong) { try await store.create(tooLong, "x") }
            for bytes in [[0x2E], [0x2E, 0x2E], [0x61, 0x2F, 0x62], [0x61, 0], []] as [[UInt8]] {
                let path = ItemPath([Name(bytes)])
                await #expect(throws: DocFSError.invalidArgument) {
                    try await store.create(path, "x")
                }
                await #expect(throws: DocFSError.invalidArgument) {
                    try await store.makeDirectory(path, metadata: .of(nil))
                }
                #expect(try await store.head(path) == nil)
            }
            #expect(try await store.list(.root).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func pathsMayBeLongerThanASystemCallTakes(_ kind: StoreKind) async throws {
        // bindfs itself names what is behind it by whole paths.
        guard kind != .folderOnFuse else { return }
        try await kind.with { (bench) async throws in
            let store = bench.store
            let name = Name([UInt8](repeating: 0x64, count: 200))
            var path = ItemPath.root
            for _ in 0..<30 {
                let next = path.appending(name)
                do {
                    try await store.makeDirectory(next, metadata: .of(nil))
                } catch DocFSError.nameTooLong {
                    // A store that cannot hold it says so, and nothing is there.
                    #expect(next.bytes.count > 900)
                    #expect(try await store.head(next) == nil)
                    break
                }
                path = next
            }
            let file = path.appending(Name("file"))
            try await store.create(file, "deep")
            #expect(file.bytes.count > 800)
            if store.capabilities.directories { #expect(file.bytes.count > 4096) }
            #expect(try await store.text(file) == "deep")
            #expect(try await store.list(path).map(\.path) == [file])
            let revision = try await store.head(file)?.revision
            try await store.remove(file, expecting: revision!)
            while !path.isRoot {
                try await store.removeEmptied(path)
                path = path.parent
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func linksAreKeptByteForByteAndNeverFollowed(_ kind: StoreKind) async throws {
        try await kind.with { (bench) async throws in
            let store = bench.store
            let targets: [[UInt8]] = [
                Array("file".utf8), Array("/etc/passwd".utf8), Array("..".utf8), [0xFF, 0x0A],
                [UInt8](repeating: 0x74, count: 1000),
            ]
            try await store.create("file", "x")
            for (index, target) in targets.enumerated() {
                let path = ItemPath("l\(index)")
                let info = try await store.write(
                    path,
                    ObjectWrite(payload: .symlink(target: target), metadata: .of(nil)),
                    condition: .absent, keeping: nil)
                #expect(info.kind == .symlink)
                #expect(info.target == target)
                #expect(info.size == UInt64(target.count))
                #expect(
                    info.modified == Timestamp(seconds: 1_600_000_000, nanoseconds: 123_456_789))
                #expect(try await store.head(path) == info)
                await #expect(throws: DocFSError.refused) {
                    try await store.read(
                        path, range: 0..<0, expecting: info.revision!,
                        into: CollectingSink(size: 1))
                }
            }
            let link = try #require(try await store.head("l0"))
            let replaced = try await store.write(
                "l0", .link("elsewhere"), condition: .revision(link.revision!),
                keeping: ".docfs/versions/l/0")
            #expect(replaced.target == Array("elsewhere".utf8))
            #expect(try await store.head(".docfs/versions/l/0")?.target == Array("file".utf8))
            let file = try await store.write(
                "l0", .document("a file now"), condition: .revision(replaced.revision!),
                keeping: nil)
            #expect(file.kind == .file)
            #expect(try await store.text("file") == "x")
        }
    }
}
