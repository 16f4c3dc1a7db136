import DocFS

/// Damage to whole files, and to their bytes.
extension ContainerDamage {
    mutating func damageBytes() {
        guard !files.paths.isEmpty else { return }
        let all = values.isOnce(in: 2) ? files.paths : files.records.suffix(3) + files.pages
        let path = values.pick(all.isEmpty ? files.paths : all)
        var bytes = files[path]!
        var words: [String] = []
        for _ in 0..<values.pick([1, 1, 2, 5]) { words.append(damage(&bytes)) }
        replace(path, bytes, words.joined(separator: "; "))
    }

    private mutating func damage(_ bytes: inout [UInt8]) -> String {
        let index = values.index(below: bytes.count)
        switch values.index(below: 9) {
        case 0 where !bytes.isEmpty:
            let bit = UInt8(1) << UInt8(values.index(below: 8))
            bytes[index] ^= bit
            return "bit \(bit) of byte \(index) flipped"
        case 1:
            bytes.removeSubrange(min(index, bytes.count)...)
            return "cut after \(index) bytes"
        case 2:
            let end = min(bytes.count, index + values.pick([1, 7, 200]))
            bytes.removeSubrange(min(index, bytes.count)..<end)
            return "bytes from \(index) to \(end) taken out"
        case 3:
            let piece = values.pick(Self.pieces)
            bytes.insert(contentsOf: piece, at: min(index, bytes.count))
            return "\(piece.prefix(8)) inserted at \(index)"
        case 4:
            let other = values.pick(files.paths)
            let tail = files[other]!
            bytes = Array(bytes.prefix(index)) + tail.suffix(values.index(below: tail.count))
            return "spliced at \(index) with \(other)"
        case 5:
            let isBig = values.isOnce(in: 2)
            let units = String(decoding: bytes, as: UTF8.self).utf16
            bytes = units.flatMap { unit in
                isBig
                    ? [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                    : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            }
            return "UTF-16"
        case 6:
            bytes = [0xEF, 0xBB, 0xBF] + bytes
            return "byte order mark"
        case 7:
            bytes = []
            return "empty"
        default:
            guard !bytes.isEmpty else { return "empty already" }
            bytes[index] = values.pick([0, 0x22, 0x5C, 0x7B, 0x7D, 0xFF, 0xC0, 0x2D, 0x39])
            return "byte \(index) is \(bytes[index])"
        }
    }

    private static let pieces: [[UInt8]] = [
        [0], [0xFF, 0xFE], [0xC3], [0xED, 0xA0, 0x80], Array("}".utf8), Array("\"".utf8),
        Array("9".utf8), Array("99999999999999999999".utf8), Array("-".utf8), Array(",".utf8),
        [UInt8](repeating: 0x20, count: 100_000), [UInt8](repeating: 0x5B, count: 100_000),
    ]

    /// Records missing, doubled, exchanged, or files of one kind where another belongs.
    mutating func damageLog() {
        let records = files.records
        guard let last = records.last else { return }
        switch values.index(below: 5) {
        case 0:
            files[values.pick(records)] = nil
            note("a record is missing: the log has \(files.records.map { $0.description })")
        case 1:
            let record = values.pick(records)
            files[ContainerFiles.record(files.lastRecord + 1)] = files[record]
            note("\(record) once more at the end")
        case 2:
            let one = values.pick(records)
            let other = values.pick(records)
            let bytes = files[one]
            files[one] = files[other]
            files[other] = bytes
            note("\(one) and \(other) exchanged")
        case 3:
            let one = values.pick(files.paths)
            let other = values.pick(files.paths)
            files[one] = files[other]
            note("\(one) is \(other)")
        default:
            files[last] = nil
            files[ContainerFiles.record(files.lastRecord + 2)] = Array("{}".utf8)
            note("\(last) is one further on, and empty")
        }
    }

    /// The log goes on at a number that leaves no room behind it.
    mutating func moveLog() {
        guard let last = files.records.last, var floor = files.tree(ContainerFiles.floor) else {
            return
        }
        let number: UInt64 = values.pick([
            1 << 31, 1 << 53, 1 << 62, UInt64(Int64.max) - 1, UInt64(Int64.max),
            UInt64(Int64.max) + 1, .max - 1, .max,
        ])
        floor[key: "record"] = .literal("\(number)")
        if values.isOnce(in: 2) { floor[key: "floor"] = .literal("\(number)") }
        files[ContainerFiles.floor] = floor.bytes
        files[ContainerFiles.record(number)] = files[last]
        if values.isOnce(in: 2), number < .max {
            files[ContainerFiles.record(number + 1)] = files[last]
        }
        note("floor.json: the log goes on at \(number)")
    }

    /// Megabytes in a file that needs hundreds of bytes.
    mutating func damageSize() {
        let path = values.pick(files.records.suffix(2) + files.pages)
        guard var tree = files.tree(path) else { return }
        // As much as may be read, and more.
        let count = values.pick([900_000, 4 << 20])
        let junk: JSONTree
        switch values.index(below: 4) {
        case 0: junk = .literal("[" + String(repeating: "1,", count: count) + "1]")
        case 1: junk = .literal("[" + String(repeating: "\"\",", count: count / 2) + "1]")
        case 2: junk = .string(String(repeating: "x", count: count * 2))
        default: junk = .literal("{" + String(repeating: "\"\":{},", count: count / 4) + "\"\":1}")
        }
        let isDeep = values.isOnce(in: 2)
        if isDeep, var changes = tree[key: "changes"]?.elements, !changes.isEmpty {
            changes[0].members.append(JSONTree.Member("unknown", junk))
            tree[key: "changes"] = .array(changes)
        } else {
            tree.members.append(JSONTree.Member("unknown", junk))
        }
        replace(path, tree.bytes, "with \(tree.bytes.count) bytes that nobody knows")
    }
}
