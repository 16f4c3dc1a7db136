internal import DocFS

/// One answer as a server of S3's protocol sends it, before anybody damages it.
package struct S3ServerAnswer: Sendable {
    package var status: Int
    package var reason: String
    /// In the order in which they are sent.
    package var fields: [(name: String, value: String)]
    package var body: [UInt8]
    /// The answer to HEAD: what is announced does not come.
    package var isHead = false

    /// - Parameter now: the server's clock, in seconds since 1970.
    package init(
        _ status: Int, _ reason: String, _ fields: [(name: String, value: String)] = [],
        body: [UInt8] = [], at now: Int64
    ) {
        self.status = status
        self.reason = reason
        self.body = body
        self.fields =
            [("Server", "fuzz"), ("Date", Self.date(now)), ("Content-Length", "\(body.count)")]
            + fields
    }

    /// An error, as the Amazon S3 API Reference has it ("Error responses").
    package static func error(_ status: Int, _ code: String, at now: Int64) -> S3ServerAnswer {
        let text = "<Error><Code>\(code)</Code><Message>\(code)</Message></Error>"
        return .xml(status, code, text, at: now)
    }

    package static func xml(
        _ status: Int, _ reason: String, _ text: String, at now: Int64
    ) -> S3ServerAnswer {
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        return S3ServerAnswer(
            status, reason, [("Content-Type", "application/xml")],
            body: Array((declaration + text).utf8), at: now)
    }

    /// As it goes over the wire.
    package var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8) + (isHead ? [] : body)
    }

    /// Puts `value` in the place of what a field says; adds the field where there is none.
    package mutating func set(_ name: String, _ value: String) {
        let index = fields.firstIndex { $0.name.lowercased() == name.lowercased() }
        if let index { fields[index].value = value } else { fields.append((name, value)) }
    }

    package mutating func remove(_ name: String) {
        fields.removeAll { $0.name.lowercased() == name.lowercased() }
    }

    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// A moment as RFC 9110, 5.6.7 has it.
    ///
    /// - Parameter seconds: since 1970, not before.
    package static func date(_ seconds: Int64) -> String {
        let time = CivilTime(Timestamp(seconds: seconds))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = days[Int(seconds / 86_400 % 7)]
        let date = "\(two(time.day)) \(months[time.month - 1]) \(time.year)"
        return "\(day), \(date) \(two(time.hour)):\(two(time.minute)):\(two(time.second)) GMT"
    }
}
