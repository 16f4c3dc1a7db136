/// Sizes from which on a store is asked otherwise, in bytes (Amazon S3 User Guide, "Amazon S3
/// multipart upload limits"), and times for which something stays.
struct S3Limits: Sendable {
    /// Larger bodies go in parts, where that is safe.
    var whole: UInt64 = 64 << 20
    /// Of one part, unless there would be too many.
    var part: UInt64 = 16 << 20
    /// Of one part that the store copies by itself.
    var copiedPart: UInt64 = 1 << 30
    /// The most of one request, and of one copy.
    var largest: UInt64 = 5 << 30
    /// Seconds after which an upload that is not gone is taken for one that was cut off.
    var leftover: Int64 = 2 * 86_400
    /// For how long a tombstone stays: longer than the second in which the store tells times, and
    /// than its gateways' clocks differ.
    var tombstone = Duration.seconds(20)
    /// For how long a note stays where there is no tombstone: longer than any request takes.
    var vacantNote = Duration.seconds(600)

    /// How many parts are under way at once.
    static let parallel = 4
    private static let mostParts: UInt64 = 10_000

    /// The parts of a body.
    ///
    /// - Parameter part: bytes of each but the last, unless there would be too many.
    static func parts(of size: UInt64, _ part: UInt64) -> [Range<UInt64>] {
        let least = (size + mostParts - 1) / mostParts
        let mebibyte: UInt64 = 1 << 20
        let length = max(part, (least + mebibyte - 1) / mebibyte * mebibyte)
        return stride(from: 0, to: size, by: UInt64.Stride(length)).map {
            $0..<min(size, $0 + length)
        }
    }
}
