internal import Synchronization
internal import TestSupport
internal import Testing

@testable import DocFS

/// What other programs keep beside an object, on a server that refuses what a test says.
struct S3KeptHeadersTests {
    private struct State: S3Answering {
        var objects = S3ServerObjects([.replace, .remove, .copy])
        /// What is refused of writes of documents that grant something or set tags.
        var refusal: (status: Int, code: String)?
        /// A name that no header of a write may begin with.
        var unwanted: String?
        /// Whether copies that are to have their source's tags are refused.
        var refusesTagsOfSource = false
        /// The headers of all writes of documents.
        var writes: [[String: String]] = []

        mutating func answer(_ request: S3ServerRequest) -> S3ServerAnswer {
            let now = Posix.wallTime().seconds
            let isOwn = request.key?.starts(with: ".docfs/".utf8) == true
            if request.query["acl"] != nil {
                return .xml(
                    200, "OK", isOwn ? S3KeptHeadersTests.plain : S3KeptHeadersTests.list, at: now)
            }
            if request.query["tagging"] != nil {
                return .xml(200, "OK", S3KeptHeadersTests.tags, at: now)
            }
            if refusesTagsOfSource, request.headers["x-amz-copy-source"] != nil,
                request.headers["x-amz-tagging-directive"] != "REPLACE"
            {
                return .error(403, "AccessDenied", at: now)
            }
            if request.method == "PUT", !isOwn {
                writes.append(request.headers)
                if let (status, code) = refusal, let unwanted,
                    request.headers.keys.contains(where: { $0.hasPrefix(unwanted) })
                {
                    return .error(status, code, at: now)
                }
            }
            return objects.answer(request, at: now)
        }
    }

    private static func list(_ grants: String...) -> String {
        let all = grants.map { "<Grant>\($0)</Grant>" }.joined()
        return """
            <AccessControlPolicy xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Owner><ID>us</ID>\
            </Owner><AccessControlList>\(all)</AccessControlList></AccessControlPolicy>
            """
    }

    private static func account(_ id: String, _ permission: String) -> String {
        "<Grantee><ID>\(id)</ID></Grantee><Permission>\(permission)</Permission>"
    }

    private static func group(_ uri: String, _ permission: String) -> String {
        "<Grantee><URI>\(uri)</URI></Grantee><Permission>\(permission)</Permission>"
    }

    private static let everybody = "http://acs.amazonaws.com/groups/global/AllUsers"
    private static let plain = list(account("us", "FULL_CONTROL"))
    private static let list = list(
        account("us", "FULL_CONTROL"), account("friend", "READ"), group(everybody, "READ"),
        account("friend", "WRITE_ACP"))
    private static let tags = """
        <Tagging><TagSet><Tag><Key>team</Key><Value>a/b =</Value></Tag><Tag><Key>k</Key>\
        <Value/></Tag></TagSet></Tagging>
        """
    private static let wanted = [
        "content-type": "text/x-special", "x-amz-meta-mine": "1",
        "x-amz-tagging": "team=a%2Fb%20%3D&k=",
        "x-amz-grant-read": "id=\"friend\", uri=\"\(everybody)\"",
        "x-amz-grant-write-acp": "id=\"friend\"", "x-amz-grant-full-control": "id=\"us\"",
    ]

    /// With a document `page.html` that another program has put there.
    private func with(
        _ body: (S3Store, Shared<State>, Revision) async throws -> Void
    ) async throws {
        try await State().serve { store, state, _ in
            state.value.withLock {
                $0.objects.put(
                    Array("page.html".utf8), Array("one".utf8),
                    [
                        ("Content-Type", "text/x-special"), ("x-amz-meta-mine", "1"),
                        ("x-amz-tagging-count", "2"),
                    ], at: Posix.wallTime().seconds)
                $0.writes = []
            }
            let revision = try #require(try await store.head("page.html")?.revision)
            try await body(store, state, revision)
        }
    }

    private func edit(_ store: S3Store, _ revision: Revision) async throws {
        let write = ObjectWrite.document(Array("two".utf8))
        _ = try await store.write(
            "page.html", write, condition: .revision(revision), keeping: nil)
        #expect(try await store.text("page.html") == "two")
    }

    @Test("An edit sends what is to stay beside the document, granted by its own account")
    func editKeeps() async throws {
        try await with { store, state, revision in
            try await edit(store, revision)
            let last = state.value.withLock { $0.writes.last }
            let sent = try #require(last)
            for (name, value) in Self.wanted { #expect(sent[name] == value) }
        }
    }

    @Test("A copy to another path has the same, one in the trash is nobody else's")
    func copiesKeep() async throws {
        try await with { store, state, revision in
            let metadata = try #require(ObjectWrite.document([1]).metadata)
            for place: ItemPath in ["moved.html", ".docfs/trash/page"] {
                _ = try await store.copy(
                    "page.html", expecting: revision, to: place, metadata: metadata,
                    condition: .absent, keeping: nil)
            }
            let sent = state.value.withLock { $0.writes }
            #expect(sent.count == 1)
            for (name, value) in Self.wanted { #expect(sent[0][name] == value) }
            #expect(try await store.text(".docfs/trash/page") == "one")
        }
    }

    @Test("What is copied over a document leaves beside it what is there")
    func copyOverADocument() async throws {
        try await with { store, state, revision in
            state.value.withLock {
                $0.objects.put(
                    Array("other".utf8), Array("two".utf8),
                    [("Content-Encoding", "gzip"), ("x-amz-meta-other", "2")],
                    at: Posix.wallTime().seconds)
            }
            let other = try #require(try await store.head("other")?.revision)
            let metadata = try #require(ObjectWrite.document([1]).metadata)
            _ = try await store.copy(
                "other", expecting: other, to: "page.html", metadata: metadata,
                condition: .revision(revision), keeping: nil)
            let last = state.value.withLock { $0.writes.last }
            let sent = try #require(last)
            for (name, value) in Self.wanted { #expect(sent[name] == value) }
            #expect(sent["content-encoding"] == "gzip")
            #expect(sent["x-amz-meta-other"] == nil)
            #expect(try await store.text("page.html") == "two")
        }
    }

    @Test(
        "An edit arrives, whatever the store refuses to keep beside it",
        arguments: [
            (403, "AccessDenied", "x-amz-grant-"),
            (400, "AccessControlListNotSupported", "x-amz-grant-"),
            (403, "AccessDenied", "x-amz-tagging"),
            (501, "NotImplemented", "x-amz-tagging"),
            (400, "MetadataTooLarge", "x-amz-meta-mine"),
            (403, "SignatureDoesNotMatch", "x-amz-meta-mine"),
        ])
    func refusedHeaders(_ status: Int, _ code: String, _ name: String) async throws {
        try await with { store, state, revision in
            state.value.withLock { ($0.refusal, $0.unwanted) = ((status, code), name) }
            try await edit(store, revision)
            let last = state.value.withLock { $0.writes.last }
            let sent = try #require(last)
            #expect(sent.keys.allSatisfy { !$0.hasPrefix(name) })
            #expect(sent["content-type"] == "text/x-special")
            // Nothing else goes with it.
            for (other, value) in Self.wanted where !other.hasPrefix(name) {
                #expect(sent[other] == value || name == "x-amz-meta-mine")
            }
        }
    }

    @Test("A rename arrives, whatever the store refuses to keep beside it")
    func refusedRename() async throws {
        try await with { store, state, revision in
            state.value.withLock {
                ($0.refusal, $0.unwanted) = ((403, "AccessDenied"), "x-amz-grant-")
            }
            let metadata = try #require(ObjectWrite.document([1]).metadata)
            _ = try await store.copy(
                "page.html", expecting: revision, to: "moved.html", metadata: metadata,
                condition: .absent, keeping: nil)
            #expect(try await store.text("moved.html") == "one")
            let last = state.value.withLock { $0.writes.last }
            #expect(last?["x-amz-tagging"] == Self.wanted["x-amz-tagging"])
        }
    }

    @Test("A tagged document is kept as a version, though its tags may not be")
    func versionWithoutTags() async throws {
        try await with { store, state, revision in
            state.value.withLock { $0.refusesTagsOfSource = true }
            let write = ObjectWrite.document(Array("two".utf8))
            _ = try await store.write(
                "page.html", write, condition: .revision(revision), keeping: ".docfs/versions/v")
            #expect(try await store.text("page.html") == "two")
            #expect(try await store.text(".docfs/versions/v") == "one")
        }
    }

    @Test("What is refused for another reason stays refused")
    func refusedAnyway() async throws {
        try await with { store, state, revision in
            state.value.withLock { ($0.refusal, $0.unwanted) = ((403, "AccessDenied"), "host") }
            await #expect(throws: DocFSError.self) { try await edit(store, revision) }
            let count = state.value.withLock { $0.writes.count }
            #expect(count == 4)
        }
    }

    @Test("Grantees that no header can name are left out")
    func strangeGrantees() throws {
        let reader = S3XMLReader()
        let text = Self.list(
            Self.account("us", "FULL_CONTROL"), Self.account("a\", id=\"b", "READ"),
            Self.account("caf\u{E9}", "READ"), Self.account("other", "SOMETHING"),
            "<Permission>READ</Permission>")
        try reader.read(Array(text.utf8))
        let list = try #require(S3AccessControl(reader))
        #expect(list.isPrivate)
        #expect(list.headers(for: "us").map(\.name) == ["x-amz-grant-full-control"])
    }

    @Test("The system's table of types")
    func contentTypes() {
        let text = """
            # comment
            text/html\t\thtml htm # more
            application/x-none
            nonsense here
            image/png PNG
            """
        let table = S3ContentTypes.parsed(Array(text.utf8))
        #expect(
            table == ["html": "text/html", "htm": "text/html", "png": "image/png"])
    }

    @Test("The user's own types go over the system's table")
    func ownContentTypes() {
        let own = S3ContentTypes(types: [
            DocumentType(
                key: "page", ending: "html", name: nil, naming: .uuid, mime: "text/x-page"),
            DocumentType(key: "plain", ending: "text", name: nil, naming: .uuid),
        ])
        #expect(own.type(of: "dir/a.html") == "text/x-page")
        // Of the others the table decides, and where there is none nobody.
        #expect(own.type(of: "a.text") == S3ContentTypes().type(of: "a.text"))
        #expect(own.type(of: "none") == nil)
    }
}
