/// The few forms of JSON (RFC 8259) that `.docfs` speaks.
enum JSONText {
    /// A string in its quotes, or `null`; whoever prints it prints no control character.
    static func string(_ text: String?) -> String {
        guard let text else { return "null" }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case _ where ShownText.isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// An object with its members in the order given; the values are JSON already.
    static func object(_ members: KeyValuePairs<String, String>) -> String {
        "{" + members.map { "\(string($0)):\($1)" }.joined(separator: ",") + "}"
    }

    static func array(_ elements: [String]) -> String {
        "[" + elements.joined(separator: ",") + "]"
    }
}
