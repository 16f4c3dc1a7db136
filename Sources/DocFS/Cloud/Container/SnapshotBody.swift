/// The JSON shape of a snapshot's page.
///
/// Apart from the model, so that neither binds the other; `value` is `nil` when it makes no sense.
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
                object: $0.lodging.map(ContainerCoding.text))
        }
        versions = page.versions.map {
            Version(
                item: $0.item.description, rev: $0.revision.token,
                path: ContainerCoding.text($0.path), size: $0.size,
                sha256: $0.digest?.description,
                mtime: [$0.modified.seconds, Int64($0.modified.nanoseconds)], device: $0.device,
                time: $0.recorded)
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

    var value: SnapshotPage? {
        var page = SnapshotPage()
        for entry in items {
            guard let item = ItemID(text: entry.item), let state = entry.state.value else {
                return nil
            }
            page.entries.append(
                SnapshotPage.Entry(
                    item: item, state: state,
                    lodging: entry.object.flatMap(ContainerCoding.path)))
        }
        for version in versions {
            guard let value = version.value else { return nil }
            page.versions.append(value)
        }
        for trash in trash {
            guard let value = trash.value else { return nil }
            page.trash.append(value)
        }
        for left in leftovers {
            guard let place = ContainerCoding.path(left.path) else { return nil }
            page.leftovers.append(Leftover(place: place, revision: left.rev.map(Revision.init)))
        }
        return page
    }
}

extension SnapshotBody.Version {
    fileprivate var value: VersionRecord? {
        guard let item = ItemID(text: item), let path = ContainerCoding.path(path),
            mtime.count == 2, (0..<1_000_000_000).contains(mtime[1])
        else { return nil }
        return VersionRecord(
            item: item, revision: Revision(rev), path: path, size: size,
            digest: sha256.flatMap { Digest(text: $0) },
            modified: Timestamp(seconds: mtime[0], nanoseconds: UInt32(mtime[1])), device: device,
            recorded: time)
    }
}

extension SnapshotBody.Trash {
    fileprivate var value: TrashRecord? {
        guard let operation = OperationID(text: op), let item = ItemID(text: item),
            let path = ContainerCoding.path(path), let place = ContainerCoding.path(place),
            let state = state.value
        else { return nil }
        return TrashRecord(
            operation: operation, item: item, path: path, place: place, metadata: state.metadata,
            content: state.content, recorded: time)
    }
}
