internal import Synchronization

/// head, list and what they share.
extension S3Store {
    package func head(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        try begin()
        if path.isRoot {
            _ = try await objects.page(keys.prefix, isFlat: true, most: 1)
            return Self.implied(path)
        }
        guard let key = try await possibleKey(path) else { return nil }
        let there = S3Keys.isMarker(key) ? nil : try await seen(key)
        if let there, there.isTombstone { await remember(there, at: key, noted: nil) }
        if let object = there, !object.isTombstone {
            guard object.metadata.kind == .symlink else { return object.info(at: path) }
            do throws(DocFSError) {
                // The body says where it points.
                if let (link, target) = try await objects.small(
                    key, atMost: S3Object.longestTarget), link.metadata.kind == .symlink
                {
                    return link.info(at: path, target: target)
                }
            } catch .documentRefused {
                return object.info(at: path)
            }
        }
        return try await directory(path)
    }

    /// The object at `key`, as the listing tells it where the store refuses HEAD.
    ///
    /// - Throws: `.documentRefused` where that may be a tombstone.
    private func seen(_ key: String) async throws(DocFSError) -> S3Object? {
        let failure: S3Failure
        switch try await objects.look(key) {
        case .success(let object): return object
        case .failure(let found): failure = found
        }
        // Of one that the store fails to answer about, no listing is a proof.
        guard case .documentRefused = failure.error, !failure.isLasting else { throw failure.error }
        // XML has no such character: what lists it, or is asked for it, cannot be read.
        if key.utf8.contains(0) { throw failure.error }
        guard let listed = try await listed(key) else { return nil }
        do throws(DocFSError) {
            // It may have been about keys that have been exchanged since.
            return try await objects.head(key)
        } catch .documentRefused(let reason) {
            if probe.removes == nil, let note = keys.tombstone(key),
                try await self.listed(note) != nil
            {
                throw .documentRefused(reason)
            }
            return S3Object(listed)
        }
    }

    private func listed(_ key: String) async throws(DocFSError) -> S3Listing.Object? {
        let first = try await objects.page(key, isFlat: false, most: 1).objects.first
        return first.flatMap { $0.key.utf8.elementsEqual(key.utf8) ? $0 : nil }
    }

    static func implied(_ path: ItemPath) -> ObjectInfo {
        ObjectInfo(path: path, kind: .directory, size: 0, revision: nil, modified: .zero)
    }

    /// The directory at `path`: marked, or implied by what lies below it.
    ///
    /// That there is neither, the store says here for sure.
    func directory(_ path: ItemPath) async throws(DocFSError) -> ObjectInfo? {
        try await markedDirectory(path)?.info
    }

    /// As ``directory(_:)``, with the object that marks it.
    func markedDirectory(_ path: ItemPath) async throws(DocFSError)
        -> (info: ObjectInfo, marker: S3Object?)?
    {
        let prefix = try await self.prefix(path)
        let page = try await objects.page(prefix, isFlat: false, most: 1)
        guard let first = page.objects.first else { return nil }
        if first.key == prefix, let marker = try await seen(prefix) {
            return (marker.directory(at: path), marker)
        }
        return try await isAnything(below: prefix) ? (Self.implied(path), nil) : nil
    }

    package func list(_ directory: ItemPath) async throws(DocFSError) -> [ObjectInfo] {
        try begin()
        let prefix: String
        if directory.isRoot {
            prefix = keys.prefix
        } else {
            guard let key = try await possibleKey(directory) else { throw .notFound }
            prefix = key + "/"
        }
        let noted = try await tombstones(below: prefix)
        let partlyDead = Set(noted.keys.compactMap { Self.directory(of: $0, below: prefix) })
        var infos: [ItemPath: ObjectInfo] = [:]
        var isThere = directory.isRoot
        try await objects.pages(prefix, isFlat: true) { (page) async throws(DocFSError) in
            var noticed: [(object: S3Listing.Object, path: ItemPath)] = []
            for object in page.objects {
                let component = try Self.component(of: object.key, below: prefix)
                if component.isEmpty {
                    // The object that marks the directory itself.
                    isThere = true
                } else {
                    noticed.append((object, directory.appending(S3Name.name(of: component))))
                }
            }
            let doubtful = noticed.map(\.object).filter { noted[$0.key.bytes] != nil }
            let areDead = try await self.areDead(doubtful, noted)
            let dead = Set(zip(doubtful, areDead).filter(\.1).map(\.0.key.bytes))
            for (object, path) in noticed where !dead.contains(object.key.bytes) {
                infos[path] = object.info(at: path, now: page.date)
            }
            for below in page.prefixes {
                guard below.utf8.last == 0x2F else { throw Self.unasked }
                let component = try Self.component(of: below.dropping(last: 1), below: prefix)
                let path = directory.appending(S3Name.name(of: component))
                // A document has the name where others made both: as ``head(_:)`` has it.
                if path == Self.control || infos[path] != nil { continue }
                if partlyDead.contains(below.bytes), try await !self.isAnything(at: below) {
                    continue
                }
                infos[path] = Self.implied(path)
            }
            return true
        }
        guard isThere || !infos.isEmpty else { throw .notFound }
        return Array(infos.values)
    }

    private static let control: ItemPath = ".docfs"

    /// So many objects are asked for at once of which a listing does not tell enough.
    private static let lookedAt = 8

    /// The component of `key` behind `prefix`.
    private static func component(of key: String, below prefix: String)
        throws(DocFSError) -> String
    {
        guard key.utf8.starts(with: prefix.utf8) else { throw unasked }
        let component = key.dropping(first: prefix.utf8.count)
        guard !component.utf8.contains(0x2F) else { throw unasked }
        return component
    }

    /// The directory below `prefix` that `key` is in, with its slash; `nil` where it is in none.
    private static func directory(of key: [UInt8], below prefix: String) -> [UInt8]? {
        key.dropFirst(prefix.utf8.count).firstIndex(of: 0x2F).map { Array(key[...$0]) }
    }

    private static let unasked = DocFSError.corrupt("the store lists what it was not asked for")

    // MARK: Keys

    /// The key of the object at `path`.
    ///
    /// A name that stands for a longer component is looked for among those that begin alike.
    ///
    /// - Throws: as ``S3Keys/key(_:long:)``.
    func key(_ path: ItemPath) async throws(DocFSError) -> String {
        var long: [Name: String] = [:]
        for (index, name) in path.components.enumerated() {
            guard let beginning = S3Name.beginning(ofLong: name) else { continue }
            let parent = ItemPath(Array(path.components[..<index]))
            let prefix = parent.isRoot ? keys.prefix : try keys.key(parent, long: long) + "/"
            try await objects.pages(prefix + beginning, isFlat: true) { (page) throws(DocFSError) in
                let keys = page.objects.map(\.key) + page.prefixes.map { $0.dropping(last: 1) }
                for key in keys {
                    let component = try Self.component(of: key, below: prefix)
                    if S3Name.name(of: component) == name { long[name] = component }
                }
                return long[name] == nil
            }
        }
        return try keys.key(path, long: long)
    }

    /// As ``key(_:)``, for a document.
    ///
    /// - Throws: `.invalidArgument` where there can be none as well.
    func documentKey(_ path: ItemPath) async throws(DocFSError) -> String {
        let key = try await self.key(path)
        guard !S3Keys.isMarker(key) else { throw .invalidArgument }
        return key
    }

    /// As ``documentKey(_:)``, for a document that is to be made.
    ///
    /// - Throws: `.nameTooLong` also where the trash could not hold it.
    func newKey(_ path: ItemPath) async throws(DocFSError) -> String {
        let key = try await documentKey(path)
        guard keys.mayBeMade(key) else { throw .nameTooLong }
        return key
    }

    /// As ``key(_:)``; `nil` for paths at which there can be nothing.
    func possibleKey(_ path: ItemPath) async throws(DocFSError) -> String? {
        do throws(DocFSError) {
            return try await key(path)
        } catch .invalidArgument {
            return nil
        } catch .nameTooLong {
            return nil
        }
    }

    /// What the keys of all that is in the directory at `path` begin with; also the key of the
    /// object that marks it.
    func prefix(_ path: ItemPath) async throws(DocFSError) -> String {
        path.isRoot ? keys.prefix : try await self.key(path) + "/"
    }

    // MARK: Tombstones

    /// The keys at which there may be tombstones, and when that was noted, in seconds since 1970.
    private func tombstones(below prefix: String) async throws(DocFSError) -> [[UInt8]: Int64] {
        guard probe.removes == nil else { return [:] }
        let place = keys.tombstones(below: prefix)
        var found: [[UInt8]: Int64] = [:]
        try await objects.pages(place, isFlat: false) { (page) throws(DocFSError) in
            for object in page.objects {
                guard object.key.utf8.starts(with: place.utf8) else { throw Self.unasked }
                let key = (prefix + object.key.dropping(first: place.utf8.count)).bytes
                found[key] = object.stored
            }
            return true
        }
        return found
    }

    /// Which of the listed objects are nothing but tombstones.
    ///
    /// It is not asked for those that were seen before.
    ///
    /// - Parameter noted: when each note was written, by key.
    private func areDead(_ listed: [S3Listing.Object], _ noted: [[UInt8]: Int64])
        async throws(DocFSError) -> [Bool]
    {
        try await listed.map(atOnce: Self.lookedAt) { (object) async throws(DocFSError) in
            try await self.isDead(object, noted: noted[object.key.bytes])
        }
    }

    /// Whether nothing but a tombstone is where a listing has an object.
    ///
    /// - Parameter noted: when its note was written; `nil` where it has none.
    private func isDead(_ listed: S3Listing.Object, noted: Int64?) async throws(DocFSError) -> Bool
    {
        do throws(DocFSError) {
            let isKnown = found.withLock { found in
                found.burials[listed.key.bytes]?.isOf(S3Object(listed)) ?? false
            }
            if isKnown { return true }
            guard let there = try await seen(listed.key) else { return true }
            if there.isTombstone { await remember(there, at: listed.key, noted: noted) }
            return there.isTombstone
        } catch .documentRefused {
            return false
        }
    }

    /// Whether there is a directory at `prefix`: marked, or with anything below it.
    private func isAnything(at prefix: String) async throws(DocFSError) -> Bool {
        if try await seen(prefix) != nil { return true }
        return try await isAnything(below: prefix)
    }

    /// Whether there is an object below `prefix` beside its own marker and tombstones.
    func isAnything(below prefix: String) async throws(DocFSError) -> Bool {
        var known: [[UInt8]: Int64]?
        var isFound = false
        try await objects.pages(prefix, isFlat: false) { (page) async throws(DocFSError) in
            let objects = page.objects.filter { $0.key != prefix }
            if objects.isEmpty { return true }
            if known == nil { known = try await self.tombstones(below: prefix) }
            let noted = known ?? [:]
            let doubtful = objects.filter { object in
                noted[object.key.bytes] != nil || object.size == S3Tombstone.size
            }
            isFound = doubtful.count < objects.count
            var rest = doubtful[...]
            while !isFound, !rest.isEmpty {
                let next = Array(rest.prefix(Self.lookedAt))
                rest = rest.dropFirst(next.count)
                isFound = try await self.areDead(next, noted).contains(false)
            }
            return !isFound
        }
        return isFound
    }
}

/// Keys are bytes: Swift's strings would take two spellings of a letter for one, and a slash before
/// a combining mark for none.
extension String {
    fileprivate var bytes: [UInt8] { Array(utf8) }

    fileprivate func dropping(first count: Int) -> String {
        String(decoding: utf8.dropFirst(count), as: UTF8.self)
    }

    fileprivate func dropping(last count: Int) -> String {
        String(decoding: utf8.dropLast(count), as: UTF8.self)
    }
}
