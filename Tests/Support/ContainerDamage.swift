package import DocFS

/// What somebody may do to a container who can write into it, drawn from a seed: the same seed and
/// the same container give the same damage.
package struct ContainerDamage: Sendable {
    /// An item as the container has it before.
    package struct Item: Sendable {
        package var id: String
        /// As records and snapshots write it.
        package var state: JSONTree

        package init(id: String, state: JSONTree) {
            self.id = id
            self.state = state
        }

        var isDirectory: Bool { state[key: "kind"]?.text == "directory" }
    }

    /// An object that is put beside those that are there, or in the place of one.
    package struct Object: Hashable, Sendable {
        package var path: ItemPath
        package var isDirectory: Bool
        package var metadata: ObjectMetadata
    }

    /// The container's files as they are by now.
    package internal(set) var files: ContainerFiles
    package private(set) var objects: [Object] = []
    /// What was done, for people: one line each.
    package private(set) var words: [String] = []
    var values: HostileValues
    /// Items as the log would have them with what was appended to it.
    var items: [Item]
    private let documents: [ItemPath]

    /// - Parameter documents: where documents lie.
    package init(
        seed: UInt64, files: ContainerFiles, items: [Item], documents: [ItemPath]
    ) {
        self.files = files
        self.items = items
        self.documents = documents
        values = HostileValues(
            seed: seed, identities: items.map(\.id),
            paths: (documents + files.paths).map(\.description),
            revisions: items.compactMap { $0.state[key: "rev"]?.text })
    }

    /// Does one to four kinds of damage.
    package mutating func run() {
        for _ in 0..<values.pick([1, 1, 1, 2, 2, 3, 4]) {
            switch values.index(below: 100) {
            case 0..<28: forge()
            case 28..<42: damageValue(in: files.records.suffix(4))
            case 42..<52: damageSnapshot()
            case 52..<62: damageValue(in: files.pages)
            case 62..<71: damageValue(in: [ContainerFiles.floor])
            case 71..<75: damageValue(in: [ContainerFiles.marker, ContainerFiles.collector])
            case 75..<86: damageBytes()
            case 86..<93: damageObject()
            case 93..<97: damageLog()
            case 97..<99: moveLog()
            default: damageSize()
            }
        }
        // A record that follows another is seen at once: mostly they follow each other.
        if !values.isOnce(in: 8) { files.chainRecords() }
    }

    mutating func note(_ line: String) { words.append(line) }

    /// Replaces a file, as somebody does who makes it agree with the others.
    mutating func replace(_ path: ItemPath, _ bytes: [UInt8], _ words: String) {
        files[path] = bytes
        note("\(path): \(words)")
        // A page that is not what the floor says is seen at once: mostly it is what it says.
        if files.pages.contains(path), !values.isOnce(in: 10) { files.sealPages() }
    }

    mutating func append(_ changes: [JSONTree]) {
        let time = values.isOnce(in: 6) ? values.number() : .literal("1700000000")
        let path = files.append(changes, time: time)
        note("\(path): \(Self.shown(files[path]!))")
    }

    /// The beginning of a text.
    static func shown(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(1_500), as: UTF8.self)
        return bytes.count > 1_500 ? "\(text)… (\(bytes.count) bytes)" : text
    }

    static func shown(_ tree: JSONTree) -> String {
        let bytes = tree.bytes
        let text = String(decoding: bytes.prefix(120), as: UTF8.self)
        return bytes.count > 120 ? "\(text)… (\(bytes.count) bytes)" : text
    }

    // MARK: By grammar

    /// Puts something hostile in the place of a value, or does harm to the shape around it.
    mutating func damageValue(in paths: some Collection<ItemPath>) {
        let there = paths.filter { files[$0] != nil }
        guard !there.isEmpty else { return }
        let path = values.pick(Array(there))
        guard var tree = files.tree(path) else { return }
        var words: [String] = []
        for _ in 0..<values.pick([1, 1, 1, 2, 3]) { words.append(damage(&tree)) }
        replace(path, tree.bytes, words.joined(separator: "; "))
    }

    private mutating func damage(_ tree: inout JSONTree) -> String {
        var words = ""
        var values = values
        tree.change(values.index(below: tree.count)) { node, place in
            let isShaped = values.isOnce(in: 4)
            node = isShaped ? Self.reshaped(node, &values) : values.value(at: place, instead: node)
            words = "\(place) = \(Self.shown(node))"
        }
        self.values = values
        return words
    }

    /// Members missing, doubled or new; elements repeated, missing or in another order.
    private static func reshaped(_ node: JSONTree, _ values: inout HostileValues) -> JSONTree {
        var node = node
        switch node {
        case .object(var members) where !members.isEmpty:
            let index = values.index(below: members.count)
            switch values.index(below: 4) {
            case 0: members.remove(at: index)
            case 1: members.append(members[index])
            case 2: members[index].value = values.any()
            default: members.append(JSONTree.Member(values.name(), values.any()))
            }
            node = .object(members)
        case .array(var elements) where !elements.isEmpty:
            let index = values.index(below: elements.count)
            switch values.index(below: 4) {
            case 0: elements.remove(at: index)
            case 1:
                let count = values.pick([1, 2, 3_000])
                elements += Array(repeating: elements[index], count: count)
            case 2: elements.reverse()
            default: elements.swapAt(0, index)
            }
            node = .array(elements)
        default: node = values.any()
        }
        return node
    }

    // MARK: Objects

    /// An object that says of itself what it is not.
    private mutating func damageObject() {
        let isDirectory = values.isOnce(in: 2)
        var path: ItemPath = isDirectory ? "dropped" : values.pick(documents + ["dropped"])
        if isDirectory, values.isOnce(in: 3) { path = "d/dropped" }
        let seconds: Int64 = values.pick([0, .min, .max, -62_135_596_801, 1 << 53])
        let item = ItemID(text: values.identity()) ?? .root
        let digest = Digest(bytes: [UInt8](repeating: 7, count: 32))
        let object = Object(
            path: path, isDirectory: isDirectory,
            metadata: ObjectMetadata(
                item: item, operation: OperationID(using: &values.random),
                digest: isDirectory || values.isOnce(in: 2) ? nil : digest,
                modified: Timestamp(seconds: seconds, nanoseconds: 999_999_999),
                mode: values.pick([0, 0o777, 0o644, 0xFFFF])))
        objects.append(object)
        note("object \(path): item \(item), mtime \(seconds), mode \(object.metadata.mode)")
    }
}
