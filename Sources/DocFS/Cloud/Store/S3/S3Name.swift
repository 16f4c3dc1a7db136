/// One component of a key, and the name of a Linux directory that stands for it (S30).
///
/// A name that keys can hold is its own component, and the other way round. Keys are UTF-8, and
/// control characters in them make listings that are no XML; Linux holds neither an empty name nor
/// `.`, `..` and NUL. What only one side holds is written as `docfs-bytes=NAME` in keys, and as
/// `docfs-key=COMPONENT` in names, with percent signs for what is not a letter, a digit, `-`, `.`,
/// `_` or `~`. What looks like such a text gets the mark once more. Nothing is dropped or merged:
/// both functions are the other's inverse, but for components that are too long for Linux.
enum S3Name {
    private static let bytesMark = Array("docfs-bytes=".utf8)
    private static let keyMark = Array("docfs-key=".utf8)

    /// What names begin with that stand for components which Linux cannot hold.
    static let marks = [Name(keyMark), Name(longMark)]

    /// The component of keys that stands for `name`.
    static func component(of name: Name) -> String {
        let bytes = name.bytes
        if isEscaped(bytes, bytesMark, isStrange: isBytesOnly) {
            return text(bytesMark + bytes)
        }
        if isEscaped(bytes, keyMark, isStrange: isKeyOnly) {
            let rest = Array(bytes.dropFirst(keyMark.count))
            return text(rest.starts(with: keyMark) ? rest : decoded(rest)!)
        }
        return text(isText(bytes) ? bytes : bytesMark + encoded(bytes))
    }

    /// The name that stands for `component`.
    ///
    /// Where that is longer than Linux holds, it is one by which the component can be found again.
    static func name(of component: String) -> Name {
        let name = plainName(of: component)
        return name.bytes.count <= Name.maximumLength ? name : longName(of: component)
    }

    private static func plainName(of component: String) -> Name {
        let bytes = Array(component.utf8)
        if isEscaped(bytes, keyMark, isStrange: isKeyOnly) {
            return Name(keyMark + bytes)
        }
        if isEscaped(bytes, bytesMark, isStrange: isBytesOnly) {
            let rest = Array(bytes.dropFirst(bytesMark.count))
            return Name(rest.starts(with: bytesMark) ? rest : decoded(rest)!)
        }
        return Name(isName(bytes) ? bytes : keyMark + encoded(bytes))
    }

    // MARK: Long ones

    private static let longMark = Array("docfs-long=".utf8)
    /// Unicode scalars of a component that its long name repeats: at most 192 bytes when encoded.
    private static let shown = 16

    /// `docfs-long=DIGEST=BEGINNING`: half of the component's SHA-256, and how it begins.
    private static func longName(of component: String) -> Name {
        let digest = SHA256.digest(of: Array(component.utf8)).description.prefix(32)
        let scalars = String.UnicodeScalarView(component.unicodeScalars.prefix(shown))
        let beginning = S3Request.encoded(String(scalars))
        return Name(longMark + Array("\(digest)=\(beginning)".utf8))
    }

    /// What a component begins with that has `name` as its long name; `nil` when none has.
    static func beginning(ofLong name: Name) -> String? {
        guard name.bytes.starts(with: longMark) else { return nil }
        let parts = name.bytes.dropFirst(longMark.count)
            .split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].count == 32, let plain = decoded(Array(parts[1])) else {
            return nil
        }
        return String(validating: plain, as: UTF8.self)
    }

    // MARK: Bytes

    /// Whether these bytes may be a name and a component.
    private static func isName(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes != [0x2E] && bytes != [0x2E, 0x2E] && isText(bytes)
    }

    /// Whether these bytes may be a name but no component.
    private static func isBytesOnly(_ bytes: [UInt8]) -> Bool {
        !isText(bytes) && !bytes.contains(0) && !bytes.contains(0x2F)
    }

    /// Whether these bytes may be a component but no name.
    private static func isKeyOnly(_ bytes: [UInt8]) -> Bool {
        !isName(bytes) && isUTF8(bytes) && !bytes.contains(0x2F)
    }

    /// Whether these bytes are UTF-8 without control characters.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && isUTF8(bytes)
    }

    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether `bytes` are one or more marks and what is written for something strange.
    private static func isEscaped(
        _ bytes: [UInt8], _ mark: [UInt8], isStrange: ([UInt8]) -> Bool
    ) -> Bool {
        guard bytes.starts(with: mark) else { return false }
        var rest = bytes[...]
        while rest.starts(with: mark) { rest = rest.dropFirst(mark.count) }
        guard let plain = decoded(Array(rest)) else { return false }
        return isStrange(plain) && encoded(plain) == Array(rest)
    }

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        Array(S3Request.encoded(bytes).utf8)
    }

    private static func decoded(_ bytes: [UInt8]) -> [UInt8]? { S3Request.decoded(bytes) }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
