/// Text for people: its layout is ours, and whatever else is in it can do nothing to a terminal.
///
/// What a literal says goes out as it is, with line feeds and colours. What is put into one comes
/// from outside, from names, errors and the words of stores: it is passed through
/// ``ByteText/shown(_:)``, so that nobody has to remember to do that.
struct Shown: ExpressibleByStringInterpolation {
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ shown: Shown) { text += shown.text }

        mutating func appendInterpolation(_ outside: some Any) {
            text += ByteText.shown("\(outside)")
        }
    }

    private(set) var text: String

    /// One line of text from outside.
    init(_ outside: String) { text = ByteText.shown(outside) }

    /// Text that this program has written itself, as it is.
    init(own text: String) { self.text = text }

    init(stringLiteral literal: String) { text = literal }

    init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    var isEmpty: Bool { text.isEmpty }

    /// Without blanks at the end.
    var withoutBlanks: Shown {
        var text = text
        while text.hasSuffix(" ") { text.removeLast() }
        return Shown(own: text)
    }

    static func + (left: Shown, right: Shown) -> Shown { Shown(own: left.text + right.text) }

    static func += (left: inout Shown, right: Shown) { left.text += right.text }
}

extension Sequence<Shown> {
    func joined(separator: String) -> Shown {
        Shown(own: map(\.text).joined(separator: separator))
    }
}

extension String.StringInterpolation {
    @available(*, unavailable, message: "text that is shown stays that: make it a Shown")
    mutating func appendInterpolation(_ shown: Shown) {}
}
