/// The body of a tombstone, which stands where something was removed.
///
/// Each differs, so that each has its own revision.
enum S3Tombstone {
    private static let words = "DocFS has removed what was here: "

    /// Bytes of a body, and of one of earlier builds, which was the operation alone.
    static let (size, formerSize): (UInt64, UInt64) =
        (UInt64(body(OperationID(high: 0, low: 0)).count), 32)

    static func body(_ operation: OperationID) -> [UInt8] { Array("\(words)\(operation)\n".utf8) }

    /// - Parameter isLabelled: whether the object's metadata calls it a tombstone: other programs
    ///   bring one back without, and write documents over one and leave its metadata as it was.
    static func isBody(_ bytes: [UInt8], isLabelled: Bool) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        if isLabelled, bytes.count == formerSize { return OperationID(text: text) != nil }
        guard bytes.count == size, text.hasPrefix(words), text.hasSuffix("\n") else { return false }
        return OperationID(text: String(text.dropFirst(words.count).dropLast())) != nil
    }
}
