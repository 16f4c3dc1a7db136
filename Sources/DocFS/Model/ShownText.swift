/// Text from outside, for people: names, errors, and the words of stores and other devices.
///
/// It goes to terminals and logs, so that nothing in it may end a line, move the cursor or turn the
/// direction of writing.
package enum ShownText {
    /// The same text with a `?` for each of them, as ls(1) has it.
    package static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { shown.append(isControl(scalar) ? "?" : scalar) }
        return String(shown)
    }

    /// Controls (C0, DEL, C1), line and paragraph separators, and what embeds, overrides or
    /// isolates a direction of writing (Unicode Standard Annex #9).
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
