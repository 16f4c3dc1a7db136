internal import CExpat

/// Reads the small XML documents that S3-compatible stores answer with.
///
/// They have no document type, so that reading stops where one is declared: nothing in it can be
/// expanded. They are UTF-8, whatever they say, so that none can hide in another encoding.
/// Elements are capped in depth and number, names and texts in length.
final class S3XMLReader {
    /// An element below the root; `path` is its name and those above it, but for the root's.
    struct Element {
        let path: String
        var text: String
    }

    private(set) var root = ""
    /// In the order in which they begin; the text of those that hold others is empty.
    private(set) var elements: [Element] = []
    private var open: [Int] = []
    private var names: [String] = []
    private var refusal: String?

    /// The text of the first element at `path`.
    func first(_ path: String) -> String? { elements.first { $0.path == path }?.text }

    private static let depth = 8
    private static let most = 100_000
    /// Bytes.
    private static let longestText = 1 << 16
    private static let longestName = 256
    /// Bytes that are parsed at once.
    private static let piece = 1 << 20

    private static let isNone = "the store's answer is no XML"

    /// - Throws: `.corrupt` when it is no XML, or more than there can be.
    func read(_ xml: [UInt8]) throws(DocFSError) {
        guard let parser = XML_ParserCreate("UTF-8") else { throw .system(errno: 0) }
        defer { XML_ParserFree(parser) }
        setHandlers(parser)
        var start = 0
        var isRead = true
        repeat {
            let end = min(start + Self.piece, xml.count)
            isRead = xml[start..<end].withUnsafeBytes { bytes in
                XML_Parse(
                    parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    Int32(bytes.count), end == xml.count ? 1 : 0) == XML_STATUS_OK
            }
            start = end
        } while isRead && start < xml.count
        guard isRead, refusal == nil else { throw .corrupt(refusal ?? Self.isNone) }
    }

    private func setHandlers(_ parser: XML_Parser) {
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { reader, name, _ in S3XMLReader.of(reader).begin(name) },
            { reader, _ in S3XMLReader.of(reader).end() })
        XML_SetCharacterDataHandler(parser) { reader, bytes, count in
            S3XMLReader.of(reader).add(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        }
        XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, _ in
            S3XMLReader.of(reader).refuse("the store's answer declares what it may not")
        }
        // The handlers are given the reader, which needs the parser to stop it.
        self.parser = parser
    }

    private var parser: XML_Parser?

    private static func of(_ reader: UnsafeMutableRawPointer?) -> S3XMLReader {
        Unmanaged<S3XMLReader>.fromOpaque(reader!).takeUnretainedValue()
    }

    private func refuse(_ words: String = isNone) {
        refusal = refusal ?? words
        if let parser { XML_StopParser(parser, 0) }
    }

    private func begin(_ bytes: UnsafePointer<CChar>?) {
        // Expat still tells of the end of an empty element after it was stopped.
        names.append("")
        guard refusal == nil, let bytes else { return }
        let name = String(cString: bytes)
        guard name.utf8.count <= Self.longestName, names.count <= Self.depth + 1,
            elements.count < Self.most
        else { return refuse() }
        if names.count == 1 {
            root = name
        } else {
            open.append(elements.count)
            elements.append(
                Element(
                    path: (names.dropFirst().dropLast() + [name]).joined(separator: "/"), text: ""))
        }
        names[names.count - 1] = name
    }

    private func end() {
        names.removeLast()
        _ = open.popLast()
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        guard refusal == nil, let index = open.last else { return }
        elements[index].text += String(decoding: bytes, as: UTF8.self)
        if elements[index].text.utf8.count > Self.longestText { refuse() }
    }
}
