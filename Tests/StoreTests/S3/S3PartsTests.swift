import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// Large bodies, which go in parts where the store completes these under a condition.
///
/// The whole conformance suite runs in parts too (``StoreKind/motoInParts``).
@Suite(.serialized) struct S3PartsTests {
    private static let servers = StoreKind.buckets.filter { $0 == .moto }

    private func with(
        _ limits: S3Limits = S3Limits(whole: 6 << 20, part: 5 << 20, leftover: 0),
        _ body: (S3Bench) async throws -> Void
    ) async throws {
        let bench = try await S3Bench(
            endpoint: Machine.motoAddress!, prefix: "p/", bucket: "parts-", limits: limits)
        defer { bench.end() }
        try await body(bench)
    }

    private func write(_ bytes: [UInt8], operation: OperationID = .fresh) -> ObjectWrite {
        ObjectWrite(
            payload: .bytes(bytes, size: UInt64(bytes.count)),
            metadata: .of(bytes, operation: operation))
    }

    // MARK: Sizes

    @Test(arguments: [1, 16 << 20, (16 << 20) + 1, 5 << 30, 160_000 << 20, 5 << 40] as [UInt64])
    func aBodyHasAtMostTenThousandParts(_ size: UInt64) {
        let parts = S3Limits.parts(of: size, S3Limits().part)
        #expect(parts.count <= 10_000)
        #expect(parts.first?.lowerBound == 0)
        #expect(parts.last?.upperBound == size)
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.upperBound == $1.lowerBound })
        #expect(parts.dropLast().allSatisfy { $0.count >= 16 << 20 && $0.count <= 5 << 30 })
    }

    // MARK: Writing

    @Test(arguments: servers)
    func aLargeDocumentIsCreatedAndReplacedInParts(_ kind: StoreKind) async throws {
        try await with { (bench) async throws in
            #expect(bench.s3.probe.completesIfAbsent)
            #expect(bench.s3.probe.completes == .quoted)
            let (one, two) = (pattern(12_000_001), pattern(17_000_000))
            let written = write(one)
            let first = try await bench.store.write(
                "d/a", written, condition: .absent, keeping: nil)
            #expect(first.revision?.token.hasSuffix("-3") == true)
            #expect(try await bench.store.head("d/a") == first)
            #expect(first.metadata == written.metadata)
            #expect(try await bench.store.contents("d/a") == one)
            // As a write does that is made again.
            try await bench.s3.keep("p/d/a", first.revision!, at: ".docfs/versions/a/one")
            let second = try await bench.store.write(
                "d/a", write(two), condition: .revision(first.revision!),
                keeping: ".docfs/versions/a/one")
            #expect(second.revision?.token.hasSuffix("-4") == true)
            #expect(try await bench.store.contents("d/a") == two)
            #expect(try await bench.store.contents(".docfs/versions/a/one") == one)
            #expect(try bench.outside.keys(below: "p/.docfs/found/").isEmpty)
            #expect(try bench.staged() == 0)
            // What is not large is one request still.
            let small = try await bench.store.write(
                "b", write(pattern(6 << 20)), condition: .absent, keeping: nil)
            #expect(small.revision?.token.contains("-") == false)
        }
    }

    @Test(arguments: servers)
    func whatWouldBeRefusedIsNotSent(_ kind: StoreKind) async throws {
        try await with { (bench) async throws in
            let bytes = pattern(12_000_000)
            let operation = OperationID.fresh
            let info = try await bench.store.write(
                "a", write(bytes, operation: operation), condition: .absent, keeping: nil)
            let asked = Atomic(0)
            let source = HookedSource(bytes: bytes) { (_) throws(DocFSError) in
                asked.add(1, ordering: .relaxed)
            }
            func again(_ metadata: ObjectMetadata, _ condition: WriteCondition) async throws
                -> ObjectInfo
            {
                let object = ObjectWrite(
                    payload: .bytes(source, size: 12_000_000), metadata: metadata)
                return try await bench.store.write(
                    "a", object, condition: condition, keeping: nil)
            }
            await #expect(throws: DocFSError.refused) { try await again(.of(bytes), .absent) }
            await #expect(throws: DocFSError.refused) {
                try await again(.of(bytes), .revision(Revision("stale")))
            }
            // The same operation once more: it is there already.
            #expect(
                try await again(.of(bytes, operation: operation), .absent).revision
                    == info.revision)
            #expect(asked.load(ordering: .relaxed) == 0)
        }
    }

    @Test(arguments: servers)
    func whoIsOvertakenWhileSendingIsRefused(_ kind: StoreKind) async throws {
        try await with { (bench) async throws in
            let bytes = pattern(12_000_000)
            let first = try await bench.store.write(
                "a", write(bytes), condition: .absent, keeping: nil)
            for condition in [WriteCondition.absent, .revision(first.revision!)] {
                let path: ItemPath = condition == .absent ? "b" : "a"
                let isOvertaken = Atomic(false)
                let source = HookedSource(bytes: bytes) { (offset) throws(DocFSError) in
                    guard offset > 8_000_000, !isOvertaken.exchange(true, ordering: .relaxed)
                    else { return }
                    try? bench.outside.put("p/\(path)", [1])
                }
                await #expect(throws: DocFSError.refused) {
                    _ = try await bench.store.write(
                        path,
                        ObjectWrite(
                            payload: .bytes(source, size: 12_000_000), metadata: .of(bytes)),
                        condition: condition, keeping: nil)
                }
                #expect(try await bench.store.contents(path) == [1])
                #expect(try bench.staged() == 0)
            }
        }
    }

    @Test(arguments: servers)
    func aBodyThatIsNotWhatWasAnnouncedIsNeverStored(_ kind: StoreKind) async throws {
        try await with { (bench) async throws in
            let bytes = pattern(12_000_000)
            var other = bytes
            other[6_000_000] ^= 1
            let sources: [(any ByteSource, UInt64, DocFSError)] = [
                (other, 12_000_000, .bodyChanged),
                (bytes.dropLast() + [], 12_000_000, .bodyChanged),
                (bytes + [1], 12_000_000, .bodyChanged),
                (
                    HookedSource(bytes: bytes) { (offset) throws(DocFSError) in
                        if offset > 11_000_000 { throw .diskFull }
                    }, 12_000_000, .diskFull
                ),
            ]
            for (source, size, expected) in sources {
                await #expect(throws: expected) {
                    _ = try await bench.store.write(
                        "a",
                        ObjectWrite(payload: .bytes(source, size: size), metadata: .of(bytes)),
                        condition: .absent, keeping: nil)
                }
            }
            #expect(try await bench.store.head("a") == nil)
            #expect(try bench.staged() == 0)
        }
    }

    @Test(arguments: servers)
    func whoeverIsCancelledLeavesNothing(_ kind: StoreKind) async throws {
        try await with { (bench) async throws in
            let bytes = pattern(12_000_000)
            let isUnderWay = Atomic(false)
            let source = HookedSource(bytes: bytes) { (offset) throws(DocFSError) in
                if offset > 8_000_000 { isUnderWay.store(true, ordering: .relaxed) }
            }
            let object = ObjectWrite(
                payload: .bytes(source, size: 12_000_000), metadata: .of(bytes))
            let store = bench.store
            let task = Task {
                try await store.write("a", object, condition: .absent, keeping: nil)
            }
            try await eventually("under way") { isUnderWay.load(ordering: .relaxed) }
            task.cancel()
            _ = await task.result
            #expect(try bench.staged() == 0)
        }
    }

    // MARK: Copies

    @Test(arguments: StoreKind.buckets)
    func whatIsTooLargeForOneCopyIsCopiedInParts(_ kind: StoreKind) async throws {
        var limits = S3Limits(whole: 6 << 20, part: 5 << 20)
        limits.copiedPart = 5 << 20
        let endpoint = kind == .moto ? Machine.motoAddress! : Machine.gatewayAddress!
        let bench = try await S3Bench(endpoint: endpoint, bucket: "parts-", limits: limits)
        defer { bench.end() }
        let store = bench.s3
        let bytes = pattern(12_000_000)
        try bench.outside.put("a", bytes)
        let found = try #require(try await store.objects.head("a"))
        let metadata = S3Metadata(operation: .fresh)
        let header = store.probe.copySource ?? "x-amz-copy-source-if-match"
        func copy(_ source: S3Object, to key: String, _ condition: WriteCondition?) async throws
            -> S3Object
        {
            try await store.copyInParts(
                source, "a", header: header, to: key, metadata, condition)
        }
        // Where nobody contests the name.
        let kept = try await copy(found, to: ".docfs/versions/a/1", nil)
        #expect(try await store.objects.head(".docfs/versions/a/1")?.tag == kept.tag)
        #expect(try await store.contents(".docfs/versions/a/1") == bytes)
        // Elsewhere only under a condition.
        if store.probe.completesIfAbsent {
            let renamed = try await copy(found, to: "b", .absent)
            #expect(renamed.metadata.operation == metadata.operation)
            #expect(try await store.contents("b") == bytes)
            await #expect(throws: DocFSError.refused) { try await copy(found, to: "b", .absent) }
        } else {
            await #expect(throws: DocFSError.tooLargeForStore) {
                try await copy(found, to: "b", .absent)
            }
        }
        // And only of the one revision.
        try bench.outside.put("a", [1])
        await #expect(throws: (any Error).self) {
            try await copy(found, to: ".docfs/versions/a/2", nil)
        }
        #expect(try await store.head(".docfs/versions/a/2") == nil)
        #expect(try bench.staged() == 0)
    }

    @Test(arguments: StoreKind.buckets)
    func whatNoRequestHoldsIsTooLarge(_ kind: StoreKind) async throws {
        var limits = S3Limits()
        limits.largest = 1_000
        let endpoint = kind == .moto ? Machine.motoAddress! : Machine.gatewayAddress!
        let bench = try await S3Bench(endpoint: endpoint, limits: limits)
        defer { bench.end() }
        let bytes = pattern(1_001)
        await #expect(throws: DocFSError.tooLargeForStore) {
            _ = try await bench.store.write("a", write(bytes), condition: .absent, keeping: nil)
        }
        #expect(try await bench.store.head("a") == nil)
        try await bench.store.create("a", "small")
        #expect(try await bench.store.text("a") == "small")
    }

    // MARK: What was cut off

    @Test(arguments: servers)
    func whatWasCutOffIsAbortedAndOthersUploadsAreNot(_ kind: StoreKind) async throws {
        try await with { (bench) async throws in
            let before = Set(try bench.outside.uploads())
            let others = try bench.outside.beginUpload("p/a")
            let begun = try await bench.s3.objects
                .beginUpload("p/a", S3Metadata(operation: .fresh)).get()
            let fields = "\"key\":\"p/a\",\"upload\":\"\(begun.id)\""
            try bench.outside.put("p/.docfs/uploads/x", Array("{\(fields)}".utf8))
            let outside = "{\"key\":\"q/a\",\"upload\":\"\(others)\"}"
            try bench.outside.put("p/.docfs/uploads/y", Array(outside.utf8))
            let patient = try bench.outside.store(limits: S3Limits())
            try await patient.attach(create: false)
            func uploads() throws -> Set<String> {
                Set(try bench.outside.uploads()).subtracting(before)
            }
            #expect(try uploads() == [others, begun.id])
            _ = try await bench.another()
            #expect(try uploads() == [others])
            #expect(try bench.outside.keys(below: "p/.docfs/uploads/").isEmpty)
        }
    }
}
