@testable package import DocFS

/// A container of very many documents, made up as it is asked for: nothing of it takes memory but
/// the order of its items.
///
/// Documents lie in directories of a thousand. Its log has ``beginning`` records, from then on each
/// record is one edit: the first one of document 0, the next one of document 1, and so on.
package struct VastContainer: Sendable {
    package let documents: Int
    package let id = ContainerID(high: 1, low: 1)
    /// The number of the record that told of the last document.
    package static let beginning: UInt64 = 2_000
    private static let directorySize = 1_000
    /// Items of a page of a snapshot, as the engine writes them.
    private static let pageSize = 3_000
    private let device = DeviceID(high: 1, low: 1)
    /// All items in their order, as numbers: directories after documents.
    private let order: [Int]

    package init(documents: Int) {
        self.documents = documents
        let count = documents + (documents + Self.directorySize - 1) / Self.directorySize
        order = (0..<count).sorted { Self.item($0) < Self.item($1) }
    }

    package var directories: Int { order.count - documents }

    // MARK: Items

    /// As random as the ones that are drawn.
    private static func item(_ number: Int) -> ItemID {
        var random = SeededRandom(seed: UInt64(number))
        return ItemID(using: &random)
    }

    private func directory(of document: Int) -> Int { documents + document / Self.directorySize }

    private func name(_ number: Int) -> Name {
        Name(number < documents ? "Document \(number).txt" : "Directory \(number - documents)")
    }

    package func path(ofDirectory index: Int) -> ItemPath { ItemPath([name(documents + index)]) }

    /// The number of the document at a path.
    private func document(at path: ItemPath) -> Int? {
        guard path.components.count == 2,
            let digits = path.name?.description.dropFirst(9).dropLast(4), let number = Int(digits),
            (0..<documents).contains(number), path == self.path(of: number)
        else { return nil }
        return number
    }

    package func path(of document: Int) -> ItemPath {
        ItemPath([name(directory(of: document)), name(document)])
    }

    private func edits(of document: Int, by record: UInt64) -> Int {
        record > Self.beginning + UInt64(document) ? 1 : 0
    }

    private func state(_ number: Int, by record: UInt64) -> ItemState {
        let modified = Timestamp(seconds: 1_600_000_000 + Int64(number), nanoseconds: 123_456_789)
        guard number < documents else {
            return ItemState(
                parent: .root, name: name(number),
                metadata: Metadata(mode: 0o755, modified: modified), content: .directory)
        }
        let edit = edits(of: number, by: record)
        var random = SeededRandom(seed: UInt64(number) &* 2 &+ UInt64(edit))
        let bytes = (0..<4).flatMap { _ in ItemID(high: random.next(), low: 0).bytes.prefix(8) }
        let tag = ItemID(using: &random).description
        return ItemState(
            parent: Self.item(directory(of: number)), name: name(number),
            metadata: Metadata(mode: 0o644, modified: modified),
            content: .file(
                Body(size: 1_000, digest: Digest(bytes: bytes), revision: Revision(tag))))
    }

    // MARK: The log

    /// Record `number`; what those of the beginning told is in no snapshot's way, and left out.
    ///
    /// - Parameter previous: the digest of the one before.
    func record(_ number: UInt64, after previous: Digest?) -> LogRecord {
        if number <= Self.beginning {
            return LogRecord(
                device: device, deviceName: "another", time: 1_600_000_000,
                previous: previous, changes: [])
        }
        let document = Int(number - Self.beginning - 1)
        let before = state(document, by: number - 1)
        return LogRecord(
            device: device, deviceName: "another", time: 1_700_000_000,
            previous: previous,
            changes: [
                Change(
                    operation: OperationID(high: 2, low: number), item: Self.item(document),
                    before: Place(of: before), after: state(document, by: number))
            ])
    }

    /// The snapshot as of a record, which hashes to `digest`.
    func snapshot(of record: UInt64, _ digest: Digest) throws(DocFSError) -> LogSnapshot {
        let operation = OperationID(high: 3, low: record)
        var snapshot = LogSnapshot(
            record: record, digest: digest,
            directory: ContainerLayout.snapshot(of: record, by: operation),
            pages: [])
        for number in 0..<((order.count + Self.pageSize - 1) / Self.pageSize) {
            let bytes = try ContainerCoding.encode(page(number, by: record))
            snapshot.pages.append(SHA256.digest(of: bytes))
        }
        return snapshot
    }

    func page(_ number: Int, by record: UInt64) -> SnapshotPage {
        var page = SnapshotPage()
        let end = min(order.count, (number + 1) * Self.pageSize)
        page.entries = order[(number * Self.pageSize)..<end].map { item in
            .init(item: Self.item(item), state: state(item, by: record), lodging: nil)
        }
        return page
    }

    // MARK: Objects

    /// What the store has at a path when its log ends with `record`.
    func object(at path: ItemPath, by record: UInt64) -> ObjectInfo? {
        if let number = document(at: path) { return object(number, by: record) }
        let index = (0..<directories).first { self.path(ofDirectory: $0) == path }
        return index.map { info(documents + $0, at: path, by: record) }
    }

    /// What a directory holds; `nil` when there is none.
    func objects(in directory: ItemPath, by record: UInt64) -> [ObjectInfo]? {
        if directory.isRoot {
            return (0..<directories).map {
                info(documents + $0, at: path(ofDirectory: $0), by: record)
            }
        }
        guard let digits = directory.name?.description.dropFirst(10), let index = Int(digits),
            (0..<directories).contains(index), directory == path(ofDirectory: index)
        else { return nil }
        let first = index * Self.directorySize
        return (first..<min(documents, first + Self.directorySize)).map { object($0, by: record) }
    }

    private func object(_ document: Int, by record: UInt64) -> ObjectInfo {
        info(document, at: path(of: document), by: record)
    }

    private func info(_ number: Int, at path: ItemPath, by record: UInt64) -> ObjectInfo {
        let state = state(number, by: record)
        return ObjectInfo(
            path: path, kind: state.kind, size: state.content.body?.size ?? 0,
            revision: state.content.revision, modified: state.metadata.modified,
            mode: state.metadata.mode)
    }
}
