/// The JSON shape of a snapshot's page.
///
/// Apart from the model, so that neither binds the other.
struct SnapshotBody: Codable {
    var v: Int
    var items: [Entry]
    var versions: [Version]
    var trash: [Trash]
    var leftovers: [Left]

    struct Entry: Codable {
        var item: String
        var state: StateBody
        var object: String?
        /// Who saved the body, and when; absent where that is not known.
        var device: String?
        var time: Int64?

        var saver: Saver? { SnapshotBody.saver(device, time) }
    }

    struct Version: Codable {
        var item: String
        var rev: String
        var path: String
        var size: UInt64
        var sha256: String?
        /// Seconds and nanoseconds.
        var mtime: [Int64]
        var device: String
        var time: Int64
        /// Permission bits; absent where they are not known.
        var mode: UInt16?
        /// Who saved the body, and when; absent where that is not known.
        var saver: String?
        var saved: Int64?
    }

    struct Trash: Codable {
        var op: String
        var item: String
        var path: String
        var place: String
        /// Its parent is of no interest any more.
        var state: StateBody
        var time: Int64
    }

    struct Left: Codable {
        var path: String
        var rev: String?
    }

    init(_ page: SnapshotPage) {
        v = ContainerLayout.version
        items = page.entries.map {
            Entry(
                item: $0.item.description, state: StateBody($0.state),
                object: $0.lodging.map(ContainerCoding.text), device: $0.saver?.device,
                time: $0.saver?.time)
        }
        versions = page.versions.map {
            Version(
                item: $0.item.description, rev: $0.revision.token,
                path: ContainerCoding.text($0.path), size: $0.size,
                sha256: $0.digest?.description,
                mtime: [$0.modified.seconds, Int64($0.modified.nanoseconds)], device: $0.device,
                time: $0.recorded, mode: $0.mode, saver: $0.saver?.device, saved: $0.saver?.time)
        }
        trash = page.trash.map {
            Trash(
                op: $0.operation.description, item: $0.item.description,
                path: ContainerCoding.text($0.path), place: ContainerCoding.text($0.place),
                state: StateBody(
                    ItemState(
                        parent: .root, name: $0.path.name ?? Name(""), metadata: $0.metadata,
                        content: $0.content)),
                time: $0.recorded)
        }
        leftovers = page.leftovers.map {
            Left(path: ContainerCoding.text($0.place), rev: $0.revision?.token)
        }
    }

    /// The page, when it keeps the rules that one page alone can break.
    func checked() throws(RuleBreach) -> SnapshotPage {
        var page = SnapshotPage()
        for entry in items {
            let item = try ContainerRules.item(entry.item)
            page.entries.append(
                SnapshotPage.Entry(
                    item: item, state: try entry.state.checked(of: item),
                    lodging: try entry.object.map(ContainerRules.object), saver: entry.saver))
        }
        for version in versions { page.versions.append(try version.checked()) }
        for trash in trash { page.trash.append(try trash.checked()) }
        for left in leftovers {
            page.leftovers.append(
                Leftover(
                    place: try ContainerRules.object(left.path),
                    revision: try left.rev.map(ContainerRules.revision)))
        }
        return page
    }

    fileprivate static func saver(_ device: String?, _ time: Int64?) -> Saver? {
        guard let device, let time else { return nil }
        return Saver(
            device: ContainerRules.deviceName(device), time: ContainerRules.clock(time))
    }
}

extension SnapshotBody.Version {
    fileprivate func checked() throws(RuleBreach) -> VersionRecord {
        VersionRecord(
            item: try ContainerRules.item(item), revision: try ContainerRules.revision(rev),
            path: try ContainerRules.kept(path), size: try ContainerRules.size(size),
            digest: try ContainerRules.digest(sha256), modified: try ContainerRules.time(mtime),
            device: ContainerRules.deviceName(device), recorded: ContainerRules.clock(time),
            mode: mode.map { $0 & 0o777 }, saver: SnapshotBody.saver(saver, saved))
    }
}

extension SnapshotBody.Trash {
    fileprivate func checked() throws(RuleBreach) -> TrashRecord {
        let (metadata, content) = try state.checkedDescription()
        return TrashRecord(
            operation: try ContainerRules.operation(op), item: try ContainerRules.item(item),
            path: try ContainerRules.object(path),
            place: place.isEmpty ? .root : try ContainerRules.kept(place),
            metadata: metadata, content: content, recorded: ContainerRules.clock(time))
    }
}
