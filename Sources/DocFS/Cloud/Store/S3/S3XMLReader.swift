internal import Foundation
internal import FoundationXML

/// Reads the small XML documents that S3-compatible stores answer with.
///
/// They have no document type, so that one with any is refused: nothing in it can be expanded. They
/// are UTF-8, so that none can hide in another encoding.
/// Elements are capped in depth and number, texts in length.
final class S3XMLReader: NSObject, XMLParserDelegate {
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
    private var isRefused = false

    /// The text of the first element at `path`.
    func first(_ path: String) -> String? { elements.first { $0.path == path }?.text }

    private static let depth = 8
    private static let most = 100_000
    private static let longest = 1 << 16

    /// - Throws: `.corrupt` when it is no XML, or more than there can be.
    func read(_ xml: [UInt8]) throws(DocFSError) {
        guard !xml.contains(doctype: Array("<!".utf8)) else {
            throw .corrupt("the store's answer declares what it may not")
        }
        guard !xml.contains(0), String(validating: xml, as: UTF8.self) != nil else {
            throw .corrupt("the store's answer is no XML")
        }
        let parser = XMLParser(data: Data(xml))
        parser.shouldResolveExternalEntities = false
        parser.delegate = self
        // It goes on after some errors, and ends without one where the text breaks off.
        guard parser.parse(), parser.parserError == nil, !isRefused, !root.isEmpty, names.isEmpty
        else {
            throw .corrupt("the store's answer is no XML")
        }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        if root.isEmpty, names.isEmpty {
            root = name
        } else if names.count > Self.depth || elements.count >= Self.most {
            isRefused = true
            return parser.abortParsing()
        } else {
            open.append(elements.count)
            elements.append(
                Element(path: (names.dropFirst() + [name]).joined(separator: "/"), text: ""))
        }
        names.append(name)
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        names.removeLast()
        _ = open.popLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        guard let index = open.last else { return }
        elements[index].text += text
        if elements[index].text.utf8.count > Self.longest {
            isRefused = true
            parser.abortParsing()
        }
    }
}

extension [UInt8] {
    fileprivate func contains(doctype mark: [UInt8]) -> Bool {
        firstRange(of: mark) != nil
    }
}
