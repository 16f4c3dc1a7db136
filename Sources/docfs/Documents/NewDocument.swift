internal import Glibc

/// Names for new documents of a type (S27).
struct NewDocument {
    private let type: MountStatus.DocumentType

    init(_ type: MountStatus.DocumentType) { self.type = type }

    /// Makes an empty document; returns its path.
    func make(in directory: String) throws -> String {
        var number = try nextNumber(in: directory)
        while true {
            let path = directory + "/" + name(number)
            let file = Files.with(path) { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
            if file >= 0 {
                close(file)
                return path
            }
            // Somebody else was faster.
            guard errno == EEXIST else { throw Failure(path, errno) }
            number += 1
        }
    }

    private var ending: String { type.extension.isEmpty ? "" : "." + type.extension }

    private func name(_ number: Int) -> String {
        switch type.naming {
        case "uuid": return (type.name.isEmpty ? "" : type.name + "-") + Self.uuid() + ending
        case "timestamp":
            let stamp = Moment.now.secondsText.split(separator: ":").joined(separator: ".")
            return "\(type.name) \(stamp)\(number > 1 ? " \(number)" : "")\(ending)"
        default: return "\(type.name) \(number)\(ending)"
        }
    }

    /// One more than the highest that is there, so that a removed one's number is not given again.
    private func nextNumber(in directory: String) throws -> Int {
        guard type.naming == "sequential" else { return 1 }
        let numbers = try Files.entries(of: directory).compactMap { entry -> Int? in
            guard entry.name.hasPrefix(type.name + " "), entry.name.hasSuffix(ending) else {
                return nil
            }
            return Int(entry.name.dropFirst(type.name.count + 1).dropLast(ending.count))
        }
        return (numbers.filter { $0 < Int.max }.max() ?? 0) + 1
    }

    /// Version 4 of RFC 9562.
    private static func uuid() -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { String(256 + Int($0), radix: 16).dropFirst() }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
            .joined(separator: "-")
    }
}
