internal import FoundationEssentials

/// How records, effects and the marker are written: JSON with short, stable keys.
///
/// Names are text in which `%` and every byte that is not printable UTF-8 is `%XX`.
package enum ContainerCoding {
    // MARK: Records

    static func encode(_ record: LogRecord) throws(DocFSError) -> [UInt8] {
        try encode(
            RecordBody(
                v: ContainerLayout.version, device: record.device.description,
                name: record.deviceName, time: record.time,
                previous: record.previous?.description,
                changes: record.changes.map(ChangeBody.init),
                collected: record.collected.isEmpty ? nil : record.collected.map(text)))
    }

    static func decodeRecord(_ bytes: [UInt8]) throws(DocFSError) -> LogRecord {
        let body = try decode(ReadRecord.self, bytes, "log record")
        guard body.v == ContainerLayout.version, let device = DeviceID(text: body.device) else {
            throw .corrupt("log record of layout \(body.v)")
        }
        var record = LogRecord(
            device: device, deviceName: ContainerRules.deviceName(body.name),
            time: ContainerRules.clock(body.time),
            previous: try previous(body), changes: [],
            collected: (body.collected ?? []).compactMap(path))
        if body.changes.count > ContainerRules.mostChanges {
            record.breaches.append(
                "change \(ContainerRules.mostChanges + 1) and those behind it: too many")
        }
        for (number, change) in body.changes.prefix(ContainerRules.mostChanges).enumerated() {
            do throws(RuleBreach) {
                guard let body = change.body else { throw RuleBreach(change.words) }
                record.changes.append(try body.checked())
            } catch {
                record.breaches.append("change \(number + 1): \(error.words)")
            }
        }
        return record
    }

    private static func previous(_ body: ReadRecord) throws(DocFSError) -> Digest? {
        try kept("log record") { () throws(RuleBreach) in
            try body.previous.flatMap { (text) throws(RuleBreach) in
                try ContainerRules.digest(text)
            }
        }
    }

    // MARK: Effects

    /// An effect for the journal.
    package static func encode(_ effect: Effect) throws(DocFSError) -> [UInt8] {
        try encode(EffectBody(effect))
    }

    package static func decodeEffect(_ bytes: [UInt8]) throws(DocFSError) -> Effect {
        let body = try decode(EffectBody.self, bytes, "journal")
        return try kept("journal") { () throws(RuleBreach) in try body.checked() }
    }

    // MARK: Snapshots

    static func encode(_ floor: Floor) throws(DocFSError) -> [UInt8] {
        try encode(FloorBody(floor))
    }

    static func decodeFloor(_ bytes: [UInt8]) throws(DocFSError) -> Floor {
        let body = try decode(FloorBody.self, bytes, "floor of the change log")
        return try kept("the floor of the change log") { () throws(RuleBreach) in
            try body.checked()
        }
    }

    static func encode(_ page: SnapshotPage) throws(DocFSError) -> [UInt8] {
        try encode(SnapshotBody(page))
    }

    static func decodePage(_ bytes: [UInt8]) throws(DocFSError) -> SnapshotPage {
        let body = try decode(SnapshotBody.self, bytes, "snapshot")
        guard body.v == ContainerLayout.version else {
            throw .corrupt("a page of a snapshot has layout \(body.v)")
        }
        return try kept("a page of a snapshot") { () throws(RuleBreach) in try body.checked() }
    }

    // MARK: Collecting

    static func encode(_ turn: CollectorTurn) throws(DocFSError) -> [UInt8] {
        try encode(CollectorBody(turn))
    }

    static func decodeTurn(_ bytes: [UInt8]) throws(DocFSError) -> CollectorTurn {
        let body = try decode(CollectorBody.self, bytes, "collector's file")
        return try kept("the collector's file") { () throws(RuleBreach) in try body.checked() }
    }

    // MARK: The marker

    static func encode(marker id: ContainerID) throws(DocFSError) -> [UInt8] {
        try encode(MarkerBody(layout: ContainerLayout.version, id: id.description))
    }

    static func decodeMarker(_ bytes: [UInt8]) throws(DocFSError) -> ContainerID {
        let body = try decode(MarkerBody.self, bytes, "container marker")
        guard body.layout == ContainerLayout.version else {
            throw .corrupt(
                "the container has layout \(body.layout), this version of DocFS knows layout "
                    + "\(ContainerLayout.version)")
        }
        guard let id = ContainerID(text: body.id) else { throw .corrupt("container marker") }
        return id
    }

    // MARK: JSON

    private static func encode(_ value: some Encodable) throws(DocFSError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw .corrupt("encoding: \(error)")
        }
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ bytes: [UInt8], _ what: String
    ) throws(DocFSError) -> Value {
        // The decoder would take UTF-16 and UTF-32 too, in which every second byte here is NUL.
        guard bytes.count <= ContainerRules.largestFile, !bytes.contains(0) else {
            throw .corrupt("the \(what) is no JSON of ours")
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw .corrupt("the \(what): \(words(for: error))")
        }
    }

    /// Throws `.corrupt` when a rule is broken.
    private static func kept<Value>(_ what: String, _ check: () throws(RuleBreach) -> Value)
        throws(DocFSError) -> Value
    {
        do throws(RuleBreach) {
            return try check()
        } catch {
            throw .corrupt("\(what): \(error.words)")
        }
    }

    /// What is wrong, and where: keys that are no words of the format itself, such as names of
    /// attributes, come from outside, and are told as `…`.
    static func words(for error: any Error) -> String {
        guard let error = error as? DecodingError else { return "no JSON" }
        func place(_ context: DecodingError.Context) -> String {
            let keys = context.codingPath.map { key in
                let isOurs =
                    key.stringValue.utf8.count <= 16
                    && key.stringValue.utf8.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }
                return key.intValue.map(String.init) ?? (isOurs ? key.stringValue : "…")
            }
            return keys.isEmpty ? "" : " at " + keys.joined(separator: ".")
        }
        switch error {
        case .typeMismatch(_, let context): return "a value of the wrong type" + place(context)
        case .valueNotFound(_, let context): return "no value" + place(context)
        case .keyNotFound(let key, let context):
            return "no '\(key.stringValue)'" + place(context)
        case .dataCorrupted(let context): return "no such value, or no JSON" + place(context)
        @unknown default: return "no JSON"
        }
    }

    // MARK: Names

    static func text(_ name: Name) -> String {
        let isText = String(validating: name.bytes, as: UTF8.self) != nil
        var text: [UInt8] = []
        for byte in name.bytes {
            if byte == 0x25 || byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !isText) {
                text += [0x25, hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func name(_ text: String) -> Name? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            rest = rest.dropFirst(2)
            guard digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
        }
        let name = Name(bytes)
        return name.isValid ? name : nil
    }

    static func text(_ path: ItemPath) -> String {
        path.components.map(text).joined(separator: "/")
    }

    static func path(_ text: String) -> ItemPath? {
        var names: [Name] = []
        for part in text.split(separator: "/") {
            guard let name = name(String(part)) else { return nil }
            names.append(name)
        }
        return ItemPath(names)
    }
}
