/// JSON text as it was written: numbers as their digits, members in their order, names twice if so.
///
/// For tests that put into a container's files what no encoder writes.
package enum JSONTree: Hashable, Sendable {
    case object([Member])
    case array([JSONTree])
    /// What stands between the quotes, escapes and all.
    case string(String)
    /// A number, `true`, `false` or `null`; or whatever is to stand in their place.
    case literal(String)

    /// One name of an object with its value.
    package struct Member: Hashable, Sendable {
        /// What stands between the quotes.
        package var key: String
        package var value: JSONTree

        package init(_ key: String, _ value: JSONTree) {
            self.key = key
            self.value = value
        }
    }

    /// Reads JSON text; `nil` when it is none, or hundreds of values deep.
    package init?(_ bytes: [UInt8]) {
        var reader = JSONTreeReader(bytes)
        guard let tree = reader.document() else { return nil }
        self = tree
    }

    /// The text, without a space that need not be there.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .string(let text):
            bytes.append(0x22)
            bytes += text.utf8
            bytes.append(0x22)
        case .literal(let text): bytes += text.utf8
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONTree.string(member.key).write(to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    // MARK: Parts

    /// What a string says that has no escapes; `nil` for anything else.
    package var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    package var elements: [JSONTree] {
        get { if case .array(let elements) = self { elements } else { [] } }
        set { self = .array(newValue) }
    }

    package var members: [Member] {
        get { if case .object(let members) = self { members } else { [] } }
        set { self = .object(newValue) }
    }

    /// The first value of that name; setting `nil` takes all of them away.
    package subscript(key key: String) -> JSONTree? {
        get { members.first { $0.key == key }?.value }
        set {
            var members = members
            guard let newValue else {
                self = .object(members.filter { $0.key != key })
                return
            }
            if let index = members.firstIndex(where: { $0.key == key }) {
                members[index].value = newValue
            } else {
                members.append(Member(key, newValue))
            }
            self = .object(members)
        }
    }

    /// How many values there are, this one and all in it.
    package var count: Int {
        switch self {
        case .string, .literal: 1
        case .array(let elements): elements.reduce(1) { $0 + $1.count }
        case .object(let members): members.reduce(1) { $0 + $1.value.count }
        }
    }

    /// Changes the value that has a number, counted from this one, which is 0, to all in it.
    ///
    /// - Parameter change: is told where the value stands: `after.mtime[1]`.
    package mutating func change(
        _ number: Int, at place: String = "", _ change: (inout JSONTree, String) -> Void
    ) {
        if number == 0 { return change(&self, place) }
        var first = 1
        switch self {
        case .string, .literal: return
        case .array(var elements):
            for index in elements.indices {
                let size = elements[index].count
                if number < first + size {
                    elements[index].change(number - first, at: "\(place)[\(index)]", change)
                    break
                }
                first += size
            }
            self = .array(elements)
        case .object(var members):
            for index in members.indices {
                let size = members[index].value.count
                if number < first + size {
                    let key = place.isEmpty ? members[index].key : "\(place).\(members[index].key)"
                    members[index].value.change(number - first, at: key, change)
                    break
                }
                first += size
            }
            self = .object(members)
        }
    }
}

/// Reads what ``JSONTree`` holds.
private struct JSONTreeReader {
    private let bytes: [UInt8]
    private var index = 0
    /// How many arrays and objects are open.
    private var depth = 0
    /// Deeper text is not read: this goes down by calling itself.
    private static let deepest = 600

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let next, [0x20, 0x09, 0x0A, 0x0D].contains(next) { index += 1 }
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        skipSpace()
        guard next == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    mutating func document() -> JSONTree? {
        guard let tree = value() else { return nil }
        skipSpace()
        return index == bytes.count ? tree : nil
    }

    private mutating func value() -> JSONTree? {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.deepest { return nil }
        if take("{") { return object() }
        if take("[") { return array() }
        if take("\"") { return string().map(JSONTree.string) }
        let start = index
        while let next, !",]} \n\t\r".utf8.contains(next) { index += 1 }
        return index == start
            ? nil : .literal(String(decoding: bytes[start..<index], as: UTF8.self))
    }

    private mutating func object() -> JSONTree? {
        var members: [JSONTree.Member] = []
        if take("}") { return .object([]) }
        repeat {
            guard take("\""), let key = string(), take(":"), let value = value() else { return nil }
            members.append(JSONTree.Member(key, value))
        } while take(",")
        return take("}") ? .object(members) : nil
    }

    private mutating func array() -> JSONTree? {
        var elements: [JSONTree] = []
        if take("]") { return .array([]) }
        repeat {
            guard let element = value() else { return nil }
            elements.append(element)
        } while take(",")
        return take("]") ? .array(elements) : nil
    }

    private mutating func string() -> String? {
        let start = index
        while let next {
            index += 1
            if next == 0x22 { return String(decoding: bytes[start..<index - 1], as: UTF8.self) }
            if next == 0x5C { index += 1 }
        }
        return nil
    }
}
