/// What heads say: status, revision, times, and what is kept beside objects.
extension AnswerDamage {
    mutating func damageStatus() {
        let status = values.pick([
            0, -1, 1, 99, 100, 199, 200, 201, 204, 206, 299, 301, 302, 304, 307, 308, 400, 401, 403,
            404, 405, 408, 409, 411, 412, 416, 429, 451, 500, 501, 502, 503, 504, 507, 599, 600,
            999, 1_000, 2_147_483_648,
        ])
        answer.status = status
        answer.reason = values.pick(["", "OK", "\u{1B}[31mred", "x: y", "No\u{0}w"])
        note("status \(status)")
        if values.isOnce(in: 2) {
            let answers = [
                "SlowDown", "NoSuchKey", "NoSuchBucket", "RequestTimeTooSkewed",
                "AuthorizationHeaderMalformed", "ExpiredToken", "PreconditionFailed",
                "QuotaExceeded", "EntityTooLarge", "KeyTooLongError", "\u{1B}]0;x", "BadDigest",
            ]
            let code = values.pick(answers)
            let region = values.pick(["", "<Region>\(value())</Region>"])
            let text = "<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code>\(region)</Error>"
            answer.body = Array(text.utf8)
            answer.set("Content-Length", "\(answer.body.count)")
            note("\(code) \(region)")
        }
    }

    /// A value that no header has.
    private mutating func value() -> String {
        values.pick([
            "", " ", "\u{1B}[2J", "a\u{0}b", "a\rb", "\u{C2}\u{9B}", "x\r\nX-Injected: y",
            "\u{85}", "é", "\"", "\"\"", "W/\"x\"", "*", ",", "null", "../..", "%00",
            String(repeating: "v", count: 5_000), String(repeating: "v", count: 60_000),
        ])
    }

    mutating func damageRange() {
        let length = answer.body.count
        let lie = values.pick([
            "bytes 0-\(max(0, length - 1))/*", "bytes */\(length)", "bytes 5-1/10",
            "bytes -1--1/-1",
            "bytes 0-18446744073709551615/18446744073709551616", "bytes 1-\(length)/\(length)",
            "bytes 0-0/9223372036854775807", "items 0-1/2", "/", "bytes 0-\(length)/\(length + 1)",
        ])
        answer.set("Content-Range", lie)
        if values.isOnce(in: 2) { answer.status = 206 }
        note("status \(answer.status), Content-Range: \(lie)")
    }

    mutating func damageRevision() {
        if values.isOnce(in: 4) {
            answer.remove("etag")
            return note("no ETag")
        }
        let tag = value()
        answer.set("ETag", tag)
        note("ETag: \(tag)")
        if values.isOnce(in: 6) { answer.fields.append(("ETag", "\"another\"")) }
    }

    private static let times = [
        "", "now", "0", "Fri, 31 Dec 9999 23:59:60 GMT", "Thu, 01 Jan 1970 00:00:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 GMT", "Mon, 01 Jan -001 00:00:00 GMT",
        "Sun, 31 Feb 2026 24:60:61 GMT", "Sun, 22 Nov 99999 10:00:00 GMT",
        "Sun, 22 Nov 9223372036854775807 10:00:00 GMT", "Mon, 22 Nov 2125 10:00:00 GMT",
    ]

    mutating func damageTimes() {
        let name = values.pick(["Last-Modified", "Last-Modified", "Date"])
        let time = values.pick(Self.times)
        answer.set(name, time)
        note("\(name): \(time)")
    }

    private static let moments = [
        "0", "-0", "-1", "9223372036854775807.999999999", "-9223372036854775807.5",
        "-9223372036854775808", "-9223372036854775807", "9223372036854775808", "1e400", "NaN", ".5",
        "1.2.3", "253402300800", "-62135596801", "4294967296", "67768036191676799", "",
    ]

    mutating func damageMetadata() {
        let name = values.pick([
            "docfs-item", "docfs-item", "docfs-kind", "docfs-operation", "docfs-sha256",
            "docfs-mode", "mtime", "mtime", "other",
        ])
        let lie: String
        switch name {
        case "docfs-item", "docfs-operation": lie = values.identity()
        case "docfs-kind":
            lie = values.pick(["symlink", "tombstone", "directory", "file", "", "FILE", "fifo"])
        case "docfs-sha256":
            lie = values.pick([
                "", "00", String(repeating: "0", count: 64), String(repeating: "g", count: 64),
            ])
        case "docfs-mode": lie = values.pick(["0", "777", "7777", "177777", "-1", "8", "0o7", ""])
        case "mtime": lie = values.pick(Self.moments)
        default: lie = value()
        }
        answer.set("x-amz-meta-\(name)", lie)
        note("x-amz-meta-\(name): \(lie)")
        // All that makes an object one of ours.
        if values.isOnce(in: 3) {
            let whole = [
                ("docfs-item", values.identity()), ("docfs-operation", values.newIdentity()),
                ("docfs-mode", "644"), ("mtime", values.pick(Self.moments)),
            ]
            for (name, value) in whole { answer.set("x-amz-meta-\(name)", value) }
            note("\(whole)")
        }
    }

    mutating func damageOthers() {
        switch values.index(below: 8) {
        case 0:
            let place = values.pick([
                "http://169.254.169.254/", "file:///etc/passwd", "//", "", "http://127.0.0.1:1/x",
            ])
            answer.status = values.pick([301, 302, 307, 308])
            answer.set("Location", place)
            note("status \(answer.status), Location: \(place)")
        case 1:
            let pause = values.pick([
                "-1", "0", "9223372036854775807", "9223372036854775808", "999999", "soon",
                "Fri, 31 Dec 9999 23:59:59 GMT",
            ])
            answer.status = values.pick([503, 429])
            answer.set("Retry-After", pause)
            note("status \(answer.status), Retry-After: \(pause)")
        case 2:
            answer.fields.append(("X-Long", String(repeating: "l", count: 100 << 10)))
            note("a head of 100 KiB")
        case 3:
            for number in 0..<values.pick([100, 2_000]) {
                answer.fields.append(("x-amz-meta-\(number)", "n"))
            }
            note("many fields")
        case 4:
            // Without a colon of its own the line is one of the name alone.
            answer.fields.insert(("\(value())\r\nno colon\r\n folded\r\nX", value()), at: 0)
            note("lines without a colon")
        case 5:
            answer.set("Content-Encoding", values.pick(["gzip", "br", "deflate", "\u{0}"]))
            note("another Content-Encoding")
        case 6:
            answer.set("Server", value())
            note("another Server")
        default:
            let connection = values.pick(["close", "keep-alive, close", "upgrade"])
            answer.set("Connection", connection)
            note("Connection: \(connection)")
        }
    }
}
