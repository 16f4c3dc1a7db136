@testable import DocFS

/// What users, other devices and stores do.
extension PerturbedTree {
    mutating func happen(_ perturbation: Perturbation) {
        switch perturbation {
        case .make(.here, let number, let parent, let name, let kind):
            makeHere(Self.item(number), Self.item(parent), Name(name), kind, content: number)
        case .make(.there, let number, let parent, let name, let kind):
            makeThere(Self.item(number), Self.item(parent), Name(name), kind, content: number)
        case .makeScratch(let number, let parent):
            makeHere(
                Self.item(number), Self.item(parent), Name("~$\(number)"), .file, content: number)
            local[Self.item(number)]?.view.isExcluded = true
        case .write(.here, let item, let content): writeHere(Self.item(item), content)
        case .write(.there, let item, let content): writeThere(Self.item(item), content)
        case .writeUnhashed(let item, let content):
            writeThere(Self.item(item), content, isHashed: false)
        case .writeStale(let item, let content): writeStale(Self.item(item), content)
        case .renew(let item):
            if let state = remote[Self.item(item)] { setContent(Self.item(item), renewed(state)) }
        case .convert(let item, let kind): convert(Self.item(item), kind, content: 1000 + item)
        case .move(.here, let item, let parent, let name):
            moveHere(Self.item(item), to: Place(Self.item(parent), Name(name)))
        case .move(.there, let item, let parent, let name):
            moveThere(Self.item(item), to: Place(Self.item(parent), Name(name)))
        case .exchange(let side, let one, let other):
            exchange(side, Self.item(one), Self.item(other))
        case .unnest(let side, let item): unnest(side, Self.item(item))
        case .wrap(let side, let item, let new): wrap(side, Self.item(item), Self.item(new))
        case .supplant(let side, let item, let new):
            supplant(side, Self.item(item), Self.item(new))
        case .delete(.here, let item): deleteHere(Self.item(item))
        case .delete(.there, let item): deleteThere(Self.item(item))
        case .describe(.here, let item, let mode):
            local[Self.item(item)]?.view.metadata.mode = mode
        case .describe(.there, let item, let mode): remote[Self.item(item)]?.metadata.mode = mode
        case .touch(.here, let item, let seconds):
            local[Self.item(item)]?.view.metadata.modified = Timestamp(seconds: seconds)
        case .touch(.there, let item, let seconds):
            remote[Self.item(item)]?.metadata.modified = Timestamp(seconds: seconds)
        case .mark(.here, let item, let document):
            local[Self.item(item)]?.view.conflictOf = ConflictMark(of: Self.item(document))
        case .mark(.there, let item, let document):
            remote[Self.item(item)]?.conflictOf = ConflictMark(of: Self.item(document))
        case .open(let item):
            if local[Self.item(item)]?.view.kind == .file {
                local[Self.item(item)]?.view.isHeld = true
            }
        case .plan(let item): plan(Self.item(item))
        }
    }

    mutating func makeHere(
        _ item: ItemID, _ parent: ItemID, _ name: Name, _ kind: ItemKind, content: Int
    ) {
        guard local[item] == nil, isDirectoryHere(parent), localChild(name, of: parent) == nil
        else { return }
        var view = LocalView(
            parent: parent, name: name, metadata: Self.metadata, kind: kind,
            bytes: kind == .directory ? .same : Self.changed(content))
        if kind == .symlink { view.target = Self.target(of: content) }
        local[item] = Row(view: view, content: kind == .directory ? 0 : content)
        if kind != .directory { written.insert(content) }
    }

    mutating func makeThere(
        _ item: ItemID, _ parent: ItemID, _ name: Name, _ kind: ItemKind, content: Int
    ) {
        guard remote[item] == nil, isDirectoryThere(parent), remoteChild(name, of: parent) == nil
        else { return }
        remote[item] = ItemState(
            parent: parent, name: name, metadata: Self.metadata,
            content: store(content, kind: kind))
        if kind != .directory { written.insert(content) }
    }

    private mutating func writeHere(_ item: ItemID, _ content: Int) {
        guard let row = local[item], row.view.kind == .file, row.content != content else { return }
        overwritten.insert(row.content)
        written.insert(content)
        local[item]?.content = content
        local[item]?.view.bytes = Self.changed(content)
    }

    private mutating func writeStale(_ item: ItemID, _ content: Int) {
        guard let row = local[item], row.view.kind == .file, row.view.basis != nil,
            row.view.bytes == .same
        else { return }
        // The process saw some earlier version, and not what is here.
        written.insert(content)
        local[item]?.content = content
        local[item]?.view.bytes = Self.changed(content)
        local[item]?.view.basis = Revision("earlier")
    }

    private mutating func writeThere(_ item: ItemID, _ content: Int, isHashed: Bool = true) {
        guard let state = remote[item], state.kind == .file, bytes(of: state) != content else {
            return
        }
        overwritten.insert(bytes(of: state))
        written.insert(content)
        setContent(item, store(content, kind: .file, isHashed: isHashed))
        // As it is with a document whose bytes are here, or not.
        local[item]?.view.newer = content.isMultiple(of: 2) ? .missing : .unwanted
    }

    mutating func setContent(_ item: ItemID, _ content: ItemContent) {
        remote[item]?.content = content
    }

    private mutating func convert(_ item: ItemID, _ kind: ItemKind, content: Int) {
        guard let state = remote[item], state.kind != kind, !hasRemoteChildren(item) else { return }
        if state.kind != .directory { overwritten.insert(bytes(of: state)) }
        if kind != .directory { written.insert(content) }
        setContent(item, store(content, kind: kind))
    }

    mutating func deleteHere(_ item: ItemID) {
        for child in local.keys.sorted() where local[child]?.view.parent == item {
            deleteHere(child)
        }
        guard let row = local.removeValue(forKey: item) else { return }
        // The delete counts for what the device had seen, not only for what was open (S14a).
        overwritten.formUnion([row.content, base[item].map { bytes(of: $0) } ?? 0])
    }

    mutating func deleteThere(_ item: ItemID) {
        for child in remote.keys.sorted() where remote[child]?.parent == item {
            deleteThere(child)
        }
        guard let state = remote.removeValue(forKey: item) else { return }
        overwritten.insert(bytes(of: state))
    }

    func isDirectoryHere(_ item: ItemID) -> Bool {
        item == .root || local[item]?.view.kind == .directory
    }

    func isDirectoryThere(_ item: ItemID) -> Bool {
        item == .root || remote[item]?.kind == .directory
    }

    private static let metadata = Metadata(mode: 0o644, modified: Timestamp(seconds: 1))
}
