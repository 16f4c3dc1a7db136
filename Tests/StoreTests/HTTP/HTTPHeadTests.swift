import Testing

@testable import DocFS

/// The head of an answer, as it comes line by line.
struct HTTPHeadTests {
    private func head(_ lines: [[UInt8]]) -> (head: HTTPHead, wrong: String?) {
        var head = HTTPHead()
        var wrong: String?
        for line in lines { wrong = line.withUnsafeBytes { head.take($0) } ?? wrong }
        return (head, wrong)
    }

    @Test("Names are in lower case, values without blanks at their ends and controls within")
    func fields() {
        let lines: [[UInt8]] = [
            "HTTP/1.1 100 Continue\r\n", "Dropped: 1\r\n", "\r\n", "HTTP/1.1 206 Partial\r\n",
            "ETag: \"x:y\" \t\r\n", "X-Empty:\r\n", "X-Blank: \u{1} \r\n",
            "X-Within: a\u{1B}b\tc\u{7F}d\r\n", "no field\r\n", "X-Name: Grüße\n",
        ].map { Array($0.utf8) }
        let broken = Array("X-Bytes: a".utf8) + [0xFF] + Array("b\r\n".utf8)
        let (head, wrong) = head(lines + [broken, Array("\r\n".utf8), Array("Late: 1\r\n".utf8)])
        #expect(wrong == nil)
        #expect(head.isWhole)
        #expect(head.status == 206)
        #expect(
            head.fields.map { "\($0.name)=\($0.value)" } == [
                "etag=\"x:y\"", "x-empty=", "x-blank=", "x-within=a b\tc d", "x-name=Grüße",
                "x-bytes=a\u{FFFD}b",
            ])
    }

    @Test(
        "A head that makes no sense is an error",
        arguments: [
            ["HTTP/1.1\r\n"], ["HTTP/1.1 nonsense\r\n"], ["HTTP/1.1 600 So\r\n"],
            ["Name: value\r\n"],
            ["HTTP/1.1 200 OK\r\n", "Transfer-Encoding: gzip, chunked\r\n"],
        ])
    func wrong(_ lines: [String]) {
        #expect(head((lines + ["\r\n"]).map { Array($0.utf8) }).wrong != nil)
    }
}
