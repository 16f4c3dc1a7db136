import Testing

@testable import DocFS

/// What stores answer with, and what they had better not.
@Suite struct S3AnswerTests {
    private func isCorrupt(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch DocFSError.corrupt {
            return true
        } catch {
            return false
        }
    }

    // MARK: XML

    @Test func elementsComeWithTheirPaths() throws {
        let reader = S3XMLReader()
        try reader.read(
            Array("<?xml version=\"1.0\"?><E><A> x&lt;\u{FC}</A><B><C>1</C></B></E>".utf8))
        #expect(reader.root == "E")
        #expect(reader.elements.map(\.path) == ["A", "B", "B/C"])
        #expect(reader.first("A") == " x<\u{FC}")
        #expect(reader.first("B/C") == "1")
        #expect(reader.first("C") == nil)
    }

    @Test(arguments: [
        "", "no xml", "<a><b></a>", "<a>",
        "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>",
        "<!DOCTYPE a SYSTEM \"http://127.0.0.1:9/x\"><a/>",
        "<a>&undefined;</a>",
    ])
    func whatIsNoPlainXMLIsRefused(_ text: String) {
        #expect(isCorrupt { try S3XMLReader().read(Array(text.utf8)) })
    }

    @Test func nothingHidesInAnotherEncoding() {
        let text = "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>"
        #expect(isCorrupt { try S3XMLReader().read([0xFF, 0xFE] + text.utf16Bytes) })
        #expect(isCorrupt { try S3XMLReader().read(text.utf16Bytes) })
        // Latin-1, which the text says that it is.
        let latin = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>".utf8)
        #expect(isCorrupt { try S3XMLReader().read(latin + [0xFC] + Array("</a>".utf8)) })
    }

    @Test func depthNumberAndLengthAreCapped() {
        let deep = String(repeating: "<a>", count: 20) + String(repeating: "</a>", count: 20)
        #expect(isCorrupt { try S3XMLReader().read(Array(deep.utf8)) })
        let many = "<a>" + String(repeating: "<b/>", count: 100_001) + "</a>"
        #expect(isCorrupt { try S3XMLReader().read(Array(many.utf8)) })
        let long = "<a><b>" + String(repeating: "x", count: 70_000) + "</b></a>"
        #expect(isCorrupt { try S3XMLReader().read(Array(long.utf8)) })
        let name = String(repeating: "n", count: 300)
        #expect(isCorrupt { try S3XMLReader().read(Array("<a><\(name)/></a>".utf8)) })
        #expect(isCorrupt { try S3XMLReader().read(Array("<\(name)/>".utf8)) })
    }

    @Test func aDeclarationIsToldApartFromWhatIsNoXML() {
        for text in ["<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>"] {
            #expect(throws: DocFSError.corrupt("the store's answer declares what it may not")) {
                try S3XMLReader().read(Array(text.utf8))
            }
        }
    }

    @Test func aLongAnswerIsReadWhole() throws {
        // Longer than what is parsed at once, with characters of several bytes everywhere.
        let text = String(repeating: "\u{FC}", count: 25_000)
        let reader = S3XMLReader()
        try reader.read(
            Array("<a>\(String(repeating: "<b>\(text)</b>", count: 60))</a>".utf8))
        #expect(reader.elements.count == 60)
        #expect(reader.elements.allSatisfy { $0.text == text })
    }

    // MARK: Listings

    @Test func aPageIsReadWithItsKeysDecoded() throws {
        let page = try S3Listing(
            Array(
                """
                <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
                <IsTruncated>true</IsTruncated><NextContinuationToken>t+%2B</NextContinuationToken>
                <Contents><Key>a+b%2Bc%0A%C3%BC</Key><Size>5</Size><ETag>"tag"</ETag>
                <LastModified>2026-11-22T10:00:00.000Z</LastModified></Contents>
                <CommonPrefixes><Prefix>d%2F</Prefix></CommonPrefixes></ListBucketResult>
                """.utf8))
        #expect(page.objects.map(\.key) == ["a b+c\n\u{FC}"])
        #expect(page.objects.first?.tag == "tag")
        #expect(page.objects.first?.size == 5)
        #expect(page.objects.first?.stored == 1_795_341_600)
        #expect(page.prefixes == ["d/"])
        #expect(page.next == "t+%2B")
    }

    @Test(arguments: [
        "<Error><Code>NoSuchBucket</Code></Error>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>%zz</Key><Size>1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Key>a</Key></ListBucketResult><x/>",
    ])
    func aPageThatContradictsItselfIsRefused(_ text: String) {
        #expect(isCorrupt { _ = try S3Listing(Array(text.utf8)) })
    }

    // MARK: Times

    @Test func timesAreReadInBothForms() {
        #expect(S3Time.seconds(iso: "2026-11-22T10:00:00.000Z") == 1_795_341_600)
        #expect(S3Time.seconds(iso: "2013-05-24T00:00:00Z") == 1_369_353_600)
        #expect(S3Time.seconds(http: "Sun, 22 Nov 2026 10:00:00 GMT") == 1_795_341_600)
        #expect(S3Time.seconds(http: "Thu, 29 Feb 2024 23:59:59 GMT") == 1_709_251_199)
        for text in ["", "2026-11", "2026-13-22T10:00:00Z", "x-y-zTa:b:cZ"] {
            #expect(S3Time.seconds(iso: text) == nil)
        }
        for text in ["", "Sunday", "Sun, 22 Foo 2026 10:00:00 GMT"] {
            #expect(S3Time.seconds(http: text) == nil)
        }
    }

    @Test func timesBesideObjectsAreWrittenAsRcloneDoes() {
        let times: [(Timestamp, String)] = [
            (Timestamp(seconds: 0), "0"), (Timestamp(seconds: 0, nanoseconds: 1), "0.000000001"),
            (Timestamp(seconds: 1_600_000_000, nanoseconds: 500_000_000), "1600000000.5"),
            (Timestamp(seconds: -1, nanoseconds: 999_999_999), "-0.000000001"),
            (Timestamp(seconds: -1), "-1"),
            (Timestamp(seconds: -2, nanoseconds: 750_000_000), "-1.25"),
            (Timestamp(seconds: 4_000_000_000, nanoseconds: 123_456_789), "4000000000.123456789"),
        ]
        for (time, text) in times {
            #expect(S3Time.decimal(time) == text)
            #expect(S3Time.timestamp(decimal: text) == time)
        }
        #expect(
            S3Time.timestamp(decimal: "1.1234567899")
                == Timestamp(
                    seconds: 1, nanoseconds: 123_456_789))
        for text in ["", "-", ".5", "1e9", "1.2.3", "99999999999999999999"] {
            #expect(S3Time.timestamp(decimal: text) == nil)
        }
    }

    // MARK: Refusals

    @Test func refusalsMeanWhatTheirCodesSay() {
        func error(_ status: Int, _ code: String) -> DocFSError {
            var failure = S3Failure(status: status, retryAfter: nil)
            failure.code = code
            return failure.error
        }
        #expect(error(404, "NoSuchKey") == .notFound)
        #expect(error(412, "PreconditionFailed") == .refused)
        #expect(error(403, "AccessDenied") == .credentialsRefused("AccessDenied"))
        #expect(error(403, "QuotaExceeded") == .storeFull)
        #expect(error(400, "EntityTooLarge") == .tooLargeForStore)
        // S23: neither a missing bucket nor a proxy's page says that a document is not there.
        for (status, code) in [(404, "NoSuchBucket"), (404, ""), (301, ""), (503, "SlowDown")] {
            guard case .offline = error(status, code) else {
                Issue.record("\(status) \(code) is \(error(status, code))")
                continue
            }
        }
    }

    // S32
    @Test func whatIsRefusedOfADocumentIsNotTheContainersTrouble() {
        func error(_ status: Int, _ code: String, isOfDocument: Bool) -> DocFSError {
            var failure = S3Failure(status: status, retryAfter: nil)
            failure.code = code
            failure.request = "GET a/b"
            failure.isOfDocument = isOfDocument
            return failure.error
        }
        #expect(
            error(403, "AccessDenied", isOfDocument: true)
                == .documentRefused("AccessDenied (GET a/b)"))
        #expect(
            error(403, "AccessDenied", isOfDocument: false)
                == .credentialsRefused("AccessDenied (GET a/b)"))
        #expect(
            error(403, "InvalidAccessKeyId", isOfDocument: true)
                == .credentialsRefused("InvalidAccessKeyId (GET a/b)"))
        #expect(error(400, "", isOfDocument: true) == .documentRefused("HTTP 400 (GET a/b)"))
        #expect(
            error(400, "", isOfDocument: false)
                == .corrupt("the store refused: HTTP 400 (GET a/b)"))
        let words = "it is in an archive: restore it there first (GET a/b)"
        #expect(error(403, "InvalidObjectState", isOfDocument: true) == .documentRefused(words))
        #expect(error(403, "InvalidObjectState", isOfDocument: false) == .offline(words))
    }

    // S35
    @Test func whatAStoreSaysOfARefusalIsOneShortLine() {
        var failure = S3Failure(status: 403, retryAfter: nil)
        failure.isOfDocument = true
        failure.code = "Access\u{1B}[2JDenied"
        failure.message = String(repeating: "no\n", count: 1000)
        let sentence = failure.error.sentence
        #expect(sentence.utf8.count < 700)
        #expect(!sentence.utf8.contains { $0 < 0x20 })
    }

    @Test func pausesDoubleAndAreBounded() {
        for attempt in 1...20 {
            let most = min(5_000_000_000, UInt64(100_000_000) << UInt64(attempt - 1))
            #expect((most / 2...most).contains(S3Client.pause(attempt, atLeast: nil)))
        }
        #expect(S3Client.pause(1, atLeast: 1) == 1_000_000_000)
        #expect(S3Client.pause(1, atLeast: 86_400) == 5_000_000_000)
        #expect(S3Client.pause(1, atLeast: .min) <= 100_000_000)
    }
}

extension String {
    /// In UTF-16, the low byte first.
    fileprivate var utf16Bytes: [UInt8] {
        utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }
}
