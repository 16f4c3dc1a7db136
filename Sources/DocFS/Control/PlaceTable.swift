internal import Synchronization

/// Numbers of the files of `.docfs`, and what they mean.
///
/// | number, above ``FileNumber/firstControl`` | is |
/// | --- | --- |
/// | 0 … 15 | the fixed places |
/// | 2^61 + row | below `versions`: a row of the local tree |
/// | 2^62 … 2^63-1 | by the place's hash: what the catalog has no number for |
///
/// Only the last are remembered, from the first answer on until the kernel forgets them. Two
/// places of the same hash get neighbouring numbers. Safe to use from any thread.
final class PlaceTable: Sendable {
    private struct Remembered {
        let place: ControlPlace
        /// Whether the kernel got the answer.
        var isKnown = false
    }

    private static let mirrors = FileNumber.firstControl | 1 << 61
    private static let hashes = FileNumber.firstControl | 1 << 62
    private static let fixed: [ControlPlace] =
        [.top, .versions, .trash, .items] + ControlReport.allCases.map(ControlPlace.report)

    private let places = Mutex<[FileNumber: Remembered]>([:])

    /// The number of `place`, kept from now on.
    func remember(_ place: ControlPlace) -> FileNumber {
        if let number = Self.known(place) { return number }
        var number = Self.hashed(place)
        return places.withLock { places in
            while let other = places[number], other.place != place {
                number = FileNumber(Self.hashes | (number.value &+ 1))
            }
            if places[number] == nil { places[number] = Remembered(place: place) }
            return number
        }
    }

    /// The number of `place` for a listing that nobody may ever ask about.
    func number(of place: ControlPlace) -> FileNumber { Self.known(place) ?? Self.hashed(place) }

    /// What a number means that the kernel has from us.
    ///
    /// Throws `.stale` for any other.
    func place(of number: FileNumber) throws(DocFSError) -> ControlPlace {
        let value = number.value
        if value >= Self.hashes {
            guard let place = places.withLock({ $0[number]?.place }) else { throw .stale }
            return place
        }
        if value >= Self.mirrors { return .mirror(ino: Int64(value - Self.mirrors)) }
        guard number.isControl, value - FileNumber.firstControl < UInt64(Self.fixed.count) else {
            throw .stale
        }
        return Self.fixed[Int(value - FileNumber.firstControl)]
    }

    /// The kernel knows `number` from now on.
    func retain(_ number: FileNumber) { places.withLock { $0[number]?.isKnown = true } }

    /// The kernel knows `number` no more.
    func forget(_ number: FileNumber) { places.withLock { _ = $0.removeValue(forKey: number) } }

    /// The number under which the kernel knows `place`, which is forgotten here: the kernel means
    /// something else by it from now on.
    func giveUp(_ place: ControlPlace) -> FileNumber? {
        var number = Self.hashed(place)
        return places.withLock { places in
            while let other = places[number], other.place != place {
                number = FileNumber(Self.hashes | (number.value &+ 1))
            }
            return places.removeValue(forKey: number)?.isKnown == true ? number : nil
        }
    }

    /// How many places are remembered.
    var count: Int { places.withLock { $0.count } }

    private static func known(_ place: ControlPlace) -> FileNumber? {
        if case .mirror(let ino) = place { return FileNumber(mirrors + UInt64(ino)) }
        guard let index = fixed.firstIndex(of: place) else { return nil }
        return FileNumber(FileNumber.firstControl + UInt64(index))
    }

    /// FNV-1a over the place's own bytes: the same in every process, unlike `Hasher`.
    private static func hashed(_ place: ControlPlace) -> FileNumber {
        let bytes: [UInt8]
        switch place {
        case .version(let scope, let item, let revision):
            bytes = Array("v\(scope) \(item) \(revision)".utf8)
        case .trashDirectory(let scope, let path): bytes = Array("t\(scope) ".utf8) + path.bytes
        case .deleted(let scope, let operation, let item):
            bytes = Array("d\(scope) \(operation) \(item)".utf8)
        case .itemsBelow(let ino): bytes = Array("i\(ino)".utf8)
        case .itemList(let ino, let pattern): bytes = Array("l\(ino) ".utf8) + pattern.bytes
        case .top, .report, .items, .versions, .trash, .mirror: bytes = []
        }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return FileNumber(hashes | hash)
    }
}
