import TestSupport
import Testing

@testable import DocFS

/// A server that lies, stalls and sends elsewhere.
///
/// Each answer ends its connection.
@Suite struct S3ClientTests {
    private func with(
        _ answer: @escaping @Sendable (String, Int) -> String?,
        _ body: (S3Objects, HostileServer) async throws -> Void
    ) async throws {
        let server = try HostileServer(answer)
        defer { server.stop() }
        let client = S3Client(
            S3Outside.address(port: server.port), credentials: S3Outside.source(),
            try HTTPTransport(authorities: nil, silence: 60_000_000_000))
        try await body(S3Objects(client: client), server)
    }

    private static func reply(_ status: String, _ headers: String = "", _ body: String = "")
        -> String
    {
        "HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
            + headers + "\r\n" + body
    }

    private static let object = "ETag: \"t\"\r\nLast-Modified: Sun, 22 Nov 2026 10:00:00 GMT\r\n"

    private func error(_ body: () async throws -> Void) async -> DocFSError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DocFSError
        }
    }

    @Test func whatPassesIsAskedForAgain() async throws {
        try await with { _, number in
            number < 3
                ? Self.reply("503 Slow Down", "Retry-After: 0\r\n")
                : Self.reply("200 OK", Self.object, "body")
        } _: { objects, server in
            let found = try #require(try await objects.small("k", atMost: 10))
            #expect(found.bytes == Array("body".utf8))
            #expect(server.requests == 3)
        }
    }

    @Test func aStoreThatNeverAnswersIsOfflineBeforeLong() async throws {
        try await with { _, _ in
            nil
        } _: { objects, server in
            let error = await error { _ = try await objects.head("k") }
            guard case .offline = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.requests == 5)
        }
    }

    @Test func aCompletionWhoseAnswerIsLostIsUnknownUntilItIsFound() async throws {
        let operation = OperationID.fresh
        let upload = S3Upload(key: "k", id: "u", metadata: S3Metadata(operation: operation))
        // It takes effect, and nobody hears of it; or an answer of success says that it does not.
        for answer in [nil, Self.reply("200 OK", "", "<Error><Code>InternalError</Code></Error>")] {
            try await with { line, _ in
                line.hasPrefix("POST")
                    ? answer
                    : Self.reply(
                        "200 OK",
                        Self.object + "x-amz-meta-docfs-operation: \(operation)\r\n")
            } _: { objects, server in
                let result = try await objects.complete(upload, ["p"], conditions: [], size: 1)
                #expect(try result.get().tag == "t")
                #expect(server.requests == 2)
            }
            try await with { line, _ in
                line.hasPrefix("POST") ? answer : Self.reply("404 Not Found")
            } _: { objects, _ in
                let error = await error {
                    _ = try await objects.complete(upload, ["p"], conditions: [], size: 1)
                }
                guard case .outcomeUnknown = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
            }
        }
    }

    @Test func aPartWhoseAnswerIsLostChangesNothing() async throws {
        let upload = S3Upload(key: "k", id: "u", metadata: S3Metadata(operation: .fresh))
        try await with { _, number in
            number < 3 ? nil : Self.reply("200 OK", "ETag: \"p\"\r\n")
        } _: { objects, server in
            let result = try await objects.putPart(
                1, of: upload, payload: S3Client.digest([1]),
                body: { () async throws(DocFSError) -> HTTPBody in .bytes([1]) })
            #expect(try result.get() == "p")
            #expect(server.requests == 3)
        }
        try await with { _, _ in
            nil
        } _: { objects, _ in
            let error = await error {
                _ = try await objects.putPart(
                    1, of: upload, payload: S3Client.digest([1]),
                    body: { () async throws(DocFSError) -> HTTPBody in .bytes([1]) })
            }
            guard case .offline = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func aWriteWhoseAnswerIsLostIsUnknownUntilItIsFound() async throws {
        let operation = OperationID.fresh
        let metadata = S3Metadata(operation: operation)
        // The write takes effect, and nobody hears of it.
        try await with { line, _ in
            line.hasPrefix("PUT")
                ? nil
                : Self.reply(
                    "200 OK",
                    Self.object + "x-amz-meta-docfs-operation: \(operation)\r\n")
        } _: { objects, server in
            let result = try await objects.put("k", [1], metadata)
            #expect(try result.get().tag == "t")
            #expect(server.requests == 2)
        }
        // Nobody knows, and nobody can be asked.
        try await with { _, _ in
            nil
        } _: { objects, _ in
            let error = await error { _ = try await objects.put("k", [1], metadata) }
            guard case .outcomeUnknown = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func aStoreThatIsThereAndTakesNothingIsNotOffline() async throws {
        // More than connections hold by themselves.
        let size = 32 << 20
        let body = try S3Body(
            [UInt8](repeating: 7, count: size), size: UInt64(size), digest: nil)
        try await with { _, _ in
            nil
        } _: { objects, server in
            let error = await error {
                _ = try await objects.put(
                    "k", S3Metadata(operation: OperationID.fresh), conditions: [],
                    payload: body.payload, size: body.size,
                    body: { () async throws(DocFSError) -> HTTPBody in
                        try await body.upload { () async throws(DocFSError) in }
                    }
                ).get()
            }
            guard case .outcomeUnknown = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(server.requests == 5)
        }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        let other = try HostileServer { _, _ in Self.reply("200 OK", Self.object, "stolen") }
        defer { other.stop() }
        let place = "Location: http://127.0.0.1:\(other.port)/b/k\r\n"
        try await with { _, _ in
            Self.reply("307 Temporary Redirect", place)
        } _: { objects, _ in
            let error = await error { _ = try await objects.small("k", atMost: 10) }
            guard case .offline = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(other.requests == 0)
    }

    @Test func theStoresClockIsTakenOver() async throws {
        let skewed = "<Error><Code>RequestTimeTooSkewed</Code></Error>"
        try await with { line, number in
            number == 1
                ? Self.reply(
                    "403 Forbidden", "Date: Sun, 22 Nov 2020 10:00:00 GMT\r\n", skewed)
                : Self.reply("200 OK", Self.object, "body")
        } _: { objects, server in
            let found = try await objects.small("k", atMost: 10)
            #expect(found?.bytes == Array("body".utf8))
            #expect(server.requests == 2)
        }
        // One that stays in disagreement is not asked for ever.
        try await with { _, _ in
            Self.reply("403 Forbidden", "Date: Sun, 22 Nov 2020 10:00:00 GMT\r\n", skewed)
        } _: { objects, server in
            #expect(await error { _ = try await objects.small("k", atMost: 10) } != nil)
            #expect(server.requests == 2)
        }
    }

    @Test func theBucketsRegionIsTakenOver() async throws {
        let wrong =
            "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu-west-3</Region></Error>"
        try await with { _, number in
            number == 1
                ? Self.reply("400 Bad Request", "", wrong)
                : Self.reply("200 OK", Self.object, "body")
        } _: { objects, server in
            let found = try await objects.small("k", atMost: 10)
            #expect(found?.bytes == Array("body".utf8))
            #expect(server.requests == 2)
        }
    }

    @Test(arguments: ["eu&#10;west", "", String(repeating: "r", count: 5_000)])
    func whatIsNoRegionIsNotTakenOver(_ region: String) async throws {
        let wrong =
            "<Error><Code>AuthorizationHeaderMalformed</Code><Region>\(region)</Region></Error>"
        try await with { _, number in
            number == 1
                ? Self.reply("400 Bad Request", "", wrong)
                : Self.reply("200 OK", Self.object, "body")
        } _: { objects, server in
            #expect(await error { _ = try await objects.small("k", atMost: 10) } != nil)
            #expect(server.requests == 1)
            // The next request is signed as before, and goes out.
            let found = try await objects.small("k", atMost: 10)
            #expect(found?.bytes == Array("body".utf8))
        }
    }

    @Test func aProxysPageIsNoMissingDocument() async throws {
        try await with { _, _ in
            Self.reply("404 Not Found", "", "<html>nothing here</html>")
        } _: {
            objects, _ in
            let error = await error { _ = try await objects.small("k", atMost: 10) }
            guard case .offline = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: [
        // Another size than the one asked for, in the head or in the body.
        "206 Partial Content|Content-Range: bytes 0-9/10\r\n|0123456789",
        "206 Partial Content|Content-Range: bytes 0-4/10\r\n|012",
        "206 Partial Content|Content-Range: bytes 0-4/10\r\n|01234567",
        "206 Partial Content|Content-Range: bytes 5-9/10\r\n|01234",
        "206 Partial Content||01234",
        "200 OK||0123456789",
    ])
    func anAnswerOfAnotherRangeIsNeverTaken(_ text: String) async throws {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        try await with { _, _ in
            Self.reply(parts[0], Self.object + parts[1], parts[2])
        } _: {
            objects, server in
            let store = S3Store(
                objects.client.address, credentials: S3Outside.source(),
                try HTTPTransport(authorities: nil, silence: 60_000_000_000), probe: S3Probe())
            let sink = CollectingSink(size: 10)
            let error = await error {
                try await store.read("k", range: 0..<5, expecting: Revision("t"), into: sink)
            }
            guard case .corrupt = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(sink.count == 0)
        }
    }

    /// Lists what the server answers, a page with `entries` for each request, until that is
    /// refused.
    ///
    /// - Parameter next: where the listing goes on after the request of that number.
    /// - Returns: how many requests were sent.
    private func requestsUntilRefused(
        _ entries: String = "", next: @escaping @Sendable (Int) -> String
    ) async throws -> Int {
        var requests = 0
        try await with { _, number in
            Self.reply(
                "200 OK", "",
                """
                <ListBucketResult>\(entries)<IsTruncated>true</IsTruncated>
                <NextContinuationToken>\(next(number))</NextContinuationToken></ListBucketResult>
                """)
        } _: { objects, server in
            let error = await error {
                try await objects.pages("", isFlat: true) { (_) throws(DocFSError) in true }
            }
            requests = server.requests
            guard case .corrupt = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        return requests
    }

    private func entry(_ key: String) -> String {
        "<Contents><Key>\(key)</Key><ETag>t</ETag><Size>1</Size></Contents>"
    }

    @Test func aListingWithoutAnEndIsRefused() async throws {
        #expect(try await requestsUntilRefused { _ in "again" } == 2)
    }

    @Test func aListingThatBringsNothingNewIsRefused() async throws {
        for entries in ["", entry("k")] {
            #expect(try await requestsUntilRefused(entries) { "\($0)" } < 200)
        }
    }

    @Test func aListingWhoseNamesFillTheMemoryIsRefused() async throws {
        // Four mebibytes of names in each page, of 256 that one listing may have.
        let long = String(repeating: "k", count: (1 << 16) - 8)
        let entries = String(repeating: entry(long), count: 64)
        let requests = try await requestsUntilRefused(entries) { "\($0)" }
        #expect((60..<70).contains(requests))
    }

    @Test func moreThanWasToComeIsRefused() async throws {
        let long = String(repeating: "x", count: 100)
        try await with { _, _ in
            Self.reply("200 OK", Self.object, long)
        } _: { objects, _ in
            let error = await error { _ = try await objects.small("k", atMost: 99) }
            guard case .corrupt = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
