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
                changes: record.changes.map(ChangeBody.init),
                collected: record.collected.isEmpty ? nil : record.collected.map(text)))
    }

    static func decodeRecord(_ bytes: [UInt8]) throws(DocFSError) -> LogRecord {
        let body = try decode(RecordBody.self, bytes, "log record")
        guard body.v == ContainerLayout.version, let device = DeviceID(text: body.device) else {
            throw .corrupt("log record of layout \(body.v)")
        }
        var changes: [Change] = []
        for change in body.changes {
            guard let change = change.value else { throw .corrupt("log record: a change") }
            changes.append(change)
        }
        return LogRecord(
            device: device, deviceName: body.name, time: body.time, changes: changes,
            collected: (body.collected ?? []).compactMap(path))
    }

    // MARK: Effects

    /// An effect for the journal.
    package static func encode(_ effect: Effect) throws(DocFSError) -> [UInt8] {
        try encode(EffectBody(effect))
    }

    package static func decodeEffect(_ bytes: [UInt8]) throws(DocFSError) -> Effect {
        guard let effect = try decode(EffectBody.self, bytes, "journal").value else {
            throw .corrupt("journal: an effect")
        }
        return effect
    }

    // MARK: Snapshots

    static func encode(_ floor: Floor) throws(DocFSError) -> [UInt8] {
        try encode(FloorBody(floor))
    }

    static func decodeFloor(_ bytes: [UInt8]) throws(DocFSError) -> Floor {
        guard let floor = try decode(FloorBody.self, bytes, "floor").value else {
            throw .corrupt("the floor of the change log")
        }
        return floor
    }

    static func encode(_ page: SnapshotPage) throws(DocFSError) -> [UInt8] {
        try encode(SnapshotBody(page))
    }

    static func decodePage(_ bytes: [UInt8]) throws(DocFSError) -> SnapshotPage {
        let body = try decode(SnapshotBody.self, bytes, "snapshot")
        guard body.v == ContainerLayout.version, let page = body.value else {
            throw .corrupt("a page of a snapshot")
        }
        return page
    }

    // MARK: Collecting

    static func encode(_ turn: CollectorTurn) throws(DocFSError) -> [UInt8] {
        try encode(CollectorBody(turn))
    }

    static func decodeTurn(_ bytes: [UInt8]) throws(DocFSError) -> CollectorTurn {
        guard let turn = try decode(CollectorBody.self, bytes, "collector").value else {
            throw .corrupt("the collector's file")
        }
        return turn
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
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw .corrupt("\(what): \(error)")
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
