import TestSupport
import Testing

@testable import DocFS

/// What only a store of objects has, on the real servers that were started for the tests.
@Suite struct S3StoreTests {
    private func with(
        _ kind: StoreKind, prefix: String = "", _ body: (S3Bench) async throws -> Void
    ) async throws {
        let endpoint = kind == .moto ? Machine.motoAddress! : Machine.gatewayAddress!
        let bench = try await S3Bench(endpoint: endpoint, prefix: prefix)
        defer { bench.end() }
        try await body(bench)
    }

    // MARK: The probe

    @Test(arguments: StoreKind.buckets)
    func theProbeFindsWhatTheServerDoes(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            var expected = S3Probe()
            expected.createsIfAbsent = true
            expected.winnersOfEight = 1
            expected.server = bench.s3.probe.server
            (expected.versioning, expected.givesVersions) = ("", false)
            switch kind {
            case .rgw:
                expected.replaces = .bare
                expected.copySource = "x-amz-copy-if-match"
                expected.checksBodies = true
                expected.removesUnchanged = true
            default:
                expected.replaces = .quoted
                expected.removes = .quoted
                expected.completesIfAbsent = true
            }
            #expect(bench.s3.probe == expected)
            #expect(try bench.staged() == 0)
            let other = try #require(try await bench.another() as? S3Store)
            #expect(other.probe == expected)
            #expect(expected.table.split(separator: "\n").count == 12)
        }
    }

    @Test(arguments: StoreKind.buckets)
    func aMissingBucketIsOfflineAndNeverMade(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let missing = try S3Outside(
                endpoint: bench.outside.address.endpoint.description, prefix: "")
            let error = await #expect(throws: DocFSError.self) {
                try await missing.store().attach(create: true)
            }
            #expect(error == .offline("the bucket does not exist"))
            #expect(try missing.send("HEAD", nil).status == 404)
        }
    }

    @Test(arguments: StoreKind.buckets)
    func containersBelowPrefixesSeeNothingOfEachOther(_ kind: StoreKind) async throws {
        try await with(kind, prefix: "one/two/") { bench in
            try bench.outside.put("outside", [1])
            try bench.outside.put("one/twofold", [1])
            try bench.outside.put("one/two/inside", [1])
            try await bench.store.create("mine", "x")
            let names = try await bench.store.list(.root).map(\.path)
            #expect(Set(names) == ["inside", "mine"])
            #expect(try bench.outside.keys(below: "one/two/mine") == ["one/two/mine"])
        }
    }

    @Test(arguments: StoreKind.buckets)
    func withoutAnyConditionTheStoreLooksFirst(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let store = try bench.outside.store(probe: S3Probe())
            let one = try await store.create("a", "one")
            await #expect(throws: DocFSError.refused) { try await store.create("a", "two") }
            let two = try await store.write(
                "a", .document("two"), condition: .revision(one.revision!),
                keeping: ".docfs/versions/a/one")
            #expect(try await store.text(".docfs/versions/a/one") == "one")
            await #expect(throws: DocFSError.refused) {
                _ = try await store.write(
                    "a", .document("three"), condition: .revision(one.revision!), keeping: nil)
            }
            await #expect(throws: DocFSError.refused) {
                try await store.remove("a", expecting: one.revision!)
            }
            #expect(try await store.text("a") == "two")
            let copy = try await store.copy(
                "a", expecting: two.revision!, to: "b", metadata: .of(nil), condition: .absent,
                keeping: nil)
            #expect(try await store.head("b") == copy)
            try await store.remove("a", expecting: two.revision!)
            #expect(try await store.list(.root).map(\.path) == ["b"])
            #expect(!store.capabilities.conditionalCreate)
            #expect(!store.capabilities.conditionalReplace)
            #expect(!store.capabilities.conditionalRemove)
        }
    }

    // MARK: Listing

    @Test(arguments: StoreKind.buckets)
    func aListingOfManyPagesKeepsDirectoriesAndDocuments(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            try bench.outside.put((0..<600).map { "d/\($0)d/inside" })
            try bench.outside.put((0..<600).map { "d/\($0)" })
            let found = try await bench.store.list("d")
            #expect(found.filter { $0.kind == .directory }.count == 600)
            #expect(found.filter { $0.kind == .file }.count == 600)
            #expect(try await bench.store.head("d")?.kind == .directory)
        }
    }

    @Test(arguments: StoreKind.buckets)
    func keysThatLinuxCannotHoldAreShownUnderAnEscape(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let keys = ["d//e", "d/.", "d/../f", "d/a b+c%", "d/\u{FC}", "d/docfs-key=.."]
            for key in keys { try bench.outside.put(key, Array(key.utf8)) }
            let paths: Set<ItemPath> = [
                ItemPath([Name("d"), Name("docfs-key=")]), "d/docfs-key=.", "d/docfs-key=..",
                "d/a b+c%", "d/\u{FC}", "d/docfs-key=docfs-key=..",
            ]
            #expect(Set(try await bench.store.list("d").map(\.path)) == paths)
            #expect(try await bench.store.text("d/docfs-key=/e") == "d//e")
            #expect(try await bench.store.text("d/docfs-key=.") == "d/.")
            #expect(try await bench.store.text("d/docfs-key=../f") == "d/../f")
            #expect(try await bench.store.text("d/a b+c%") == "d/a b+c%")
            #expect(try await bench.store.text("d/docfs-key=docfs-key=..") == "d/docfs-key=..")
        }
    }

    @Test(arguments: StoreKind.buckets)
    func componentsThatAreTooLongForLinuxAreFoundAgain(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            // Letters of many scalars each.
            let long = String(repeating: "e\u{301}\u{302}", count: 60)
            let keys = ["d/\(long)", "d/\(long)e", "d/\(long)f/\(long)/g"]
            for key in keys { try bench.outside.put(key, Array(key.utf8)) }
            let found = try await bench.store.list("d")
            #expect(found.count == 3)
            #expect(found.allSatisfy { $0.path.name?.isValid == true })
            for info in found where info.kind == .file {
                let text = try await bench.store.text(info.path)
                #expect(keys.contains(text))
                #expect(text.utf8.count == Int(info.size))
            }
            let below = try #require(found.first { $0.kind == .directory })
            let inside = try await bench.store.list(below.path)
            #expect(inside.count == 1)
            #expect(try await bench.store.text(inside[0].path.appending(Name("g"))) == keys[2])
            let one = try #require(found.first { $0.kind == .file })
            try await bench.store.remove(one.path, expecting: one.revision!)
            #expect(try await bench.store.list("d").count == 2)
        }
    }

    @Test(arguments: StoreKind.buckets)
    func aDocumentHasTheNameThatIsADirectorysToo(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            try bench.outside.put("d", [1])
            try bench.outside.put("d/e", [1, 2])
            #expect(try await bench.store.list(.root).map(\.kind) == [.file])
            #expect(try await bench.store.head("d")?.kind == .file)
            #expect(try await bench.store.head("d/e")?.size == 2)
        }
    }

    // MARK: Bodies

    @Test(arguments: StoreKind.buckets)
    func documentsArePlainObjectsForOtherPrograms(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let write = ObjectWrite.document("hello")
            let info = try await bench.store.write(
                "d/a.txt", write, condition: .absent, keeping: nil)
            let answer = try bench.outside.ask("GET", "d/a.txt")
            #expect(answer.body == Array("hello".utf8))
            #expect(answer.headers["etag"] == "\"\(info.revision!.token)\"")
            #expect(answer.headers["x-amz-meta-mtime"] == "1600000000.123456789")
            #expect(
                answer.headers["x-amz-meta-docfs-sha256"]
                    == write.metadata?.digest?.description)
            // rclone's time is taken for what it is, and its object for nobody's of ours.
            try bench.outside.ask(
                "PUT", "b", headers: [("x-amz-meta-mtime", "12.5"), ("content-type", "x/y")], [1])
            let theirs = try #require(try await bench.store.head("b"))
            #expect(theirs.modified == Timestamp(seconds: 12, nanoseconds: 500_000_000))
            #expect(theirs.metadata == nil)
            // What others keep beside a body stays there in a copy.
            _ = try await bench.store.copy(
                "b", expecting: theirs.revision!, to: "c", metadata: .of(nil), condition: .absent,
                keeping: nil)
            #expect(try bench.outside.ask("GET", "c").headers["content-type"] == "x/y")
        }
    }

    /// s3fs 1.90 writes the first four, rclone 1.60 with `--metadata` the next two.
    @Test(arguments: StoreKind.buckets)
    func modesAndLinksOfOtherProgramsAreWhatTheyMean(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let (outside, store) = (bench.outside, bench.store)
            func put(_ key: String, _ mode: String, _ body: String = "d", type: String = "x/y")
                throws
            {
                let headers = [("x-amz-meta-mode", mode), ("content-type", type)]
                try outside.ask("PUT", key, headers: headers, Array(body.utf8))
            }
            try put("private", "33152")
            try put("link", "41471", "where")
            try put("d/", "493", "", type: "application/x-directory")
            try put("e/", "16832", "", type: "application/x-directory")
            try put("r", "100640")
            try put("s/", "40750", "")
            try put("t/", "41777", "")
            try put("large", "41471", String(repeating: "x", count: 4097))
            try put("empty", "41471", "")
            for name in ["large", "empty"] {
                #expect(try await store.head(ItemPath(name))?.kind == .file)
            }
            for strange in ["493", "644", "-33152", "x", "200000"] {
                try put("strange\(strange)", strange)
                let info = try #require(try await store.head(ItemPath("strange\(strange)")))
                #expect((info.kind, info.mode) == (.file, nil))
            }
            let link = try #require(try await store.head("link"))
            #expect((link.kind, link.target, link.mode) == (.symlink, Array("where".utf8), nil))
            let modes: [(ItemPath, UInt16)] = [
                ("private", 0o600), ("d", 0o755), ("e", 0o700), ("r", 0o640), ("s", 0o750),
                ("t", 0o777),
            ]
            for (path, mode) in modes { #expect(try await store.head(path)?.mode == mode) }
            // A copy of theirs stays a link, and what is written in its place is none.
            let copy = try await store.copy(
                "link", expecting: link.revision!, to: "copy", metadata: .of(nil),
                condition: .absent, keeping: nil)
            #expect((copy.kind, copy.target) == (.symlink, Array("where".utf8)))
            #expect(try outside.ask("HEAD", "copy").headers["x-amz-meta-mode"] == "41471")
            _ = try await store.write(
                "link", .document("hello"), condition: .revision(link.revision!), keeping: nil)
            #expect(try outside.ask("HEAD", "link").headers["x-amz-meta-mode"] == nil)
            #expect(try await store.head("link")?.kind == .file)
            // They see ours.
            _ = try await store.write(
                "ours",
                ObjectWrite(payload: .symlink(target: Array("there".utf8)), metadata: .of(nil)),
                condition: .absent, keeping: nil)
            #expect(try outside.ask("HEAD", "ours").headers["x-amz-meta-mode"] == "41471")
        }
    }

    @Test(arguments: StoreKind.buckets)
    func aLargeBodyGoesAndComesInPieces(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let bytes = pattern(40_000_001)
            let info = try await bench.store.write(
                "a", .document(bytes), condition: .absent, keeping: nil)
            let sink = CollectingSink(size: bytes.count)
            try await bench.store.read(
                "a", range: 1..<40_000_001, expecting: info.revision!, into: sink)
            #expect(sink.bytes.dropFirst() == bytes.dropFirst())
            #expect(sink.count == 40_000_000)
        }
    }

    @Test(arguments: StoreKind.buckets)
    func aBodyThatEndsEarlyIsNeverStored(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let bytes = pattern(3_000_000)
            let torn = HookedSource(bytes: bytes) { (offset) throws(DocFSError) in
                if offset > 2_000_000 { throw .diskFull }
            }
            await #expect(throws: DocFSError.diskFull) {
                _ = try await bench.store.write(
                    "a", ObjectWrite(payload: .bytes(torn, size: 3_000_000), metadata: .of(bytes)),
                    condition: .absent, keeping: nil)
            }
            let answer = try bench.outside.send("GET", "a")
            #expect(answer.status == 404)
        }
    }

    // MARK: Tombstones

    @Test(arguments: StoreKind.buckets)
    func whatWasRemovedIsNowhereAndCanBeMadeAnew(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let store = bench.store
            for round in 0..<3 {
                let one = try await store.create("d/e/a", "round \(round)")
                try await store.create("d/b", "stays")
                try await store.remove("d/e/a", expecting: one.revision!)
                #expect(try await store.head("d/e/a") == nil)
                #expect(try await store.head("d/e") == nil)
                #expect(try await store.list("d").map(\.path) == ["d/b"])
                await #expect(throws: DocFSError.notFound) { _ = try await store.list("d/e") }
                await #expect(throws: DocFSError.notFound) {
                    try await store.remove("d/e/a", expecting: one.revision!)
                }
                await #expect(throws: DocFSError.notFound) {
                    try await store.read(
                        "d/e/a", range: 0..<1, expecting: one.revision!,
                        into: CollectingSink(size: 1))
                }
                await #expect(throws: DocFSError.refused) {
                    _ = try await store.write(
                        "d/e/a", .document("x"), condition: .revision(one.revision!), keeping: nil)
                }
                let b = try #require(try await store.head("d/b"))
                try await store.remove("d/b", expecting: b.revision!)
                #expect(try await store.head("d") == nil)
                #expect(try await store.list(.root).isEmpty)
            }
        }
    }

    @Test(arguments: StoreKind.buckets)
    func tombstonesTellSpellingsApart(_ kind: StoreKind) async throws {
        try await with(kind, prefix: "p/") { bench in
            let store = bench.store
            let combining = "\u{308}x"
            let spellings = ["\u{FC}", "u\u{308}"]
            for name in spellings { try await store.create(ItemPath("d/\(name)/a"), name) }
            for path in ["d/\(combining)", "\(combining)/a"].map({ ItemPath($0) }) {
                let info = try await store.create(path, "x")
                #expect(try await store.head(path) == info)
                try await store.remove(path, expecting: info.revision!)
                #expect(try await store.head(path) == nil)
            }
            let gone = ItemPath("d/\(spellings[0])/a")
            try await store.remove(gone, expecting: try await store.head(gone)!.revision!)
            #expect(try await store.list("d").map(\.path) == [ItemPath("d/\(spellings[1])")])
            #expect(try await store.list(.root).map(\.path) == ["d"])
            #expect(try await store.text(ItemPath("d/\(spellings[1])/a")) == spellings[1])
        }
    }

    @Test(arguments: StoreKind.buckets)
    func aCopyNeverTakesTheNameOfADirectory(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let store = bench.store
            let one = try await store.create("a", "one")
            try await bench.another().makeDirectory("d", metadata: .of(nil))
            await #expect(throws: DocFSError.refused) {
                _ = try await store.copy(
                    "a", expecting: one.revision!, to: "d", metadata: .of(nil),
                    condition: .absent, keeping: nil)
            }
            #expect(try bench.outside.keys(below: "d") == ["d/"])
        }
    }

    @Test(arguments: StoreKind.buckets)
    func aCopyMayGoWhereSomethingWasRemoved(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            let store = bench.store
            let one = try await store.create("a", "one")
            let two = try await store.create("b", "two")
            try await store.remove("b", expecting: two.revision!)
            let copy = try await store.copy(
                "a", expecting: one.revision!, to: "b", metadata: .of(nil), condition: .absent,
                keeping: nil)
            #expect(try await store.head("b") == copy)
            #expect(try await store.text("b") == "one")
            try await store.makeDirectory("d", metadata: .of(nil))
            let three = try await store.create("c", "three")
            try await store.remove("c", expecting: three.revision!)
            try await store.makeDirectory("c", metadata: .of(nil))
            #expect(try await store.head("c")?.kind == .directory)
        }
    }
}
