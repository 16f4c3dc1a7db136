import Synchronization
import TestSupport
import Testing

@testable import DocFS

/// Buckets that get versioning, or rules that remove what is old, while they are in use.
@Suite struct S3VersioningTests {
    private func set(_ outside: S3Outside, _ setting: String, _ xml: String) throws {
        try outside.ask("PUT", nil, [(setting, "")], Array(xml.utf8))
    }

    private func setVersioning(_ outside: S3Outside, _ status: String) throws {
        try set(
            outside, "versioning",
            "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                + "<Status>\(status)</Status></VersioningConfiguration>")
    }

    private func with(_ kind: StoreKind, _ body: (S3Bench) async throws -> Void) async throws {
        let endpoint = kind == .moto ? Machine.motoAddress! : Machine.gatewayAddress!
        let bench = try await S3Bench(endpoint: endpoint)
        defer { bench.end() }
        try await body(bench)
    }

    private static let news = DocFSError.offline("the bucket has got versioning")

    @Test(
        "What is written rightly when versioning has come stays, and all is tried again",
        arguments: StoreKind.buckets)
    func comesLater(_ kind: StoreKind) async throws {
        try await with(kind) { bench in
            try await bench.store.create("a", "one")
            #expect(!bench.s3.probe.isVersioned)
            try setVersioning(bench.outside, "Enabled")
            try await bench.store.create("b", "new")
            await #expect(throws: Self.news) { try await bench.store.create("c", "more") }
            #expect(try bench.outside.send("GET", "c").status == 404)
            #expect(try bench.outside.ask("GET", "b").body == Array("new".utf8))
            let other = try bench.outside.store()
            for store in [bench.s3, other] {
                guard kind == .rgw else {
                    // It honours all conditions as before.
                    try await store.attach(create: false)
                    #expect(store.probe.isVersioned && store.probe.versioning == "Enabled")
                    await #expect(throws: DocFSError.refused) {
                        try await store.create("a", "two")
                    }
                    continue
                }
                for _ in 0..<2 {
                    let error = await #expect(throws: DocFSError.self) {
                        try await store.attach(create: false)
                    }
                    #expect(error?.sentence.contains("a bucket that never had it") == true)
                }
                let error = await #expect(throws: DocFSError.self) {
                    try await store.create("c", "more")
                }
                #expect(error?.sentence.contains("a bucket that never had it") == true)
            }
        }
    }

    @Test(
        "What took the place of another's is taken back where the condition was ignored",
        .enabled(if: Machine.gatewayAddress != nil))
    func takenName() async throws {
        try await with(.rgw) { bench in
            try await bench.store.create("a", "one")
            try setVersioning(bench.outside, "Enabled")
            await #expect(throws: Self.news) { try await bench.store.create("a", "two") }
            #expect(try bench.outside.ask("GET", "a").body == Array("one".utf8))
        }
    }

    @Test(
        "A store that refuses to replace what it has is tried again, once",
        .enabled(if: Machine.gatewayAddress != nil))
    func contradiction() async throws {
        try await with(.rgw) { bench in
            let written = try await bench.store.create("a", "one")
            let base = try #require(written.revision)
            try setVersioning(bench.outside, "Enabled")
            func edit() async throws {
                _ = try await bench.store.write(
                    "a", .document("two"), condition: .revision(base), keeping: nil)
            }
            let doubt = await #expect(throws: DocFSError.self) { try await edit() }
            #expect(doubt?.sentence.contains("tried again") == true)
            let isDoubted = bench.s3.found.withLock { found in
                defer { found.isDoubted = false }
                return found.isDoubted
            }
            #expect(isDoubted)
            await #expect(throws: DocFSError.refused) { try await edit() }
            #expect(try bench.outside.ask("GET", "a").body == Array("one".utf8))
        }
    }

    @Test("What was tried before versioning was looked at counts while there is none")
    func triedBefore() {
        var probe = S3Probe()
        #expect(probe.isTried(with: nil) && probe.isTried(with: ""))
        #expect(!probe.isTried(with: "Enabled"))
        probe.versioning = "Enabled"
        #expect(probe.isTried(with: nil) && probe.isTried(with: "Enabled"))
        #expect(!probe.isTried(with: "Suspended") && !probe.isTried(with: ""))
        // Without versioning a store of few guarantees is warned of, and used.
        #expect(probe.refusal != nil)
        (probe.createsIfAbsent, probe.winnersOfEight, probe.replaces) = (true, 1, .quoted)
        #expect(probe.refusal == nil)
        #expect(S3Probe().refusal == nil)
    }

    @Test(
        "A rule that removes what is old of the container's own is told of",
        .enabled(if: Machine.gatewayAddress != nil))
    func expiring() async throws {
        try await with(.rgw) { bench in
            #expect(bench.store.capabilities.guarantee == nil)
            try set(
                bench.outside, "lifecycle",
                "<LifecycleConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Rule>"
                    + "<ID>old</ID><Filter><Prefix></Prefix></Filter><Status>Enabled</Status>"
                    + "<Expiration><Days>30</Days></Expiration></Rule></LifecycleConfiguration>")
            try await bench.s3.attach(create: false)
            #expect(bench.store.capabilities.guarantee?.contains("lifecycle rule") == true)
        }
    }

    private static let on = "<Status>Enabled</Status>"
    private static let expiring = "<Expiration><Days>9</Days></Expiration>"

    /// Elements of a rule, and whether it concerns what lies below `docs/.docfs/`.
    private static let rules: [(String, Bool)] = [
        (on + "<Filter></Filter>" + expiring, true),
        (on + "<Prefix>docs/</Prefix>" + expiring, true),
        (
            on + "<Filter><Prefix>docs/.docfs/log/</Prefix></Filter>"
                + "<Transition><Days>9</Days><StorageClass>GLACIER</StorageClass></Transition>",
            true
        ),
        ("<Status>Disabled</Status>" + expiring, false),
        (on + "<Prefix>other/</Prefix>" + expiring, false),
        (
            on + "<Filter><And><Prefix></Prefix><Tag><Key>k</Key></Tag></And></Filter>" + expiring,
            false
        ),
        (
            on + "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker>"
                + "</Expiration>", false
        ),
        (
            on + "<AbortIncompleteMultipartUpload><DaysAfterInitiation>2</DaysAfterInitiation>"
                + "</AbortIncompleteMultipartUpload>", false
        ),
    ]

    @Test("Only rules about the container's own files concern it", arguments: rules)
    func concerning(_ rule: String, _ concerns: Bool) throws {
        let reader = S3XMLReader()
        try reader.read(
            Array("<LifecycleConfiguration><Rule>\(rule)</Rule></LifecycleConfiguration>".utf8))
        let found = S3LifecycleRule.all(in: reader)
        #expect(found.count == 1)
        #expect(found.contains { $0.concerns("docs/.docfs/") } == concerns)
    }
}
