/// One open text of `.docfs`: what it said when it was opened.
final class ControlText: Sendable {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    func read(at offset: UInt64, length: Int) -> [UInt8] {
        let start = Int(min(offset, UInt64(bytes.count)))
        return Array(bytes[start..<min(bytes.count, start + length)])
    }
}
