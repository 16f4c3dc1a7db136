import DocFS

/// What the container has, and keeps of what documents were.
extension World {
    private static let versions: ItemPath = ".docfs/versions"

    /// The paths of what the store has but for what is ours.
    func objects() -> [String: String] {
        final class Found: @unchecked Sendable { var objects: [String: String] = [:] }
        let found = Found()
        scheduler.submit(nil, of: nil) { [store] in
            Task {
                var directories = [ItemPath.root]
                while let directory = directories.popLast() {
                    for object in (try? await store.list(directory)) ?? [] {
                        found.objects[object.path.description] =
                            object.revision.map { "\($0), \(object.size) bytes" } ?? "directory"
                        if object.kind == .directory { directories.append(object.path) }
                    }
                }
            }
        }
        pass(milliseconds: 1)
        return found.objects
    }

    /// The bodies of documents' earlier versions, by the directory of each document's.
    func keptTexts() -> [ItemPath: [String]] {
        final class Found: @unchecked Sendable { var texts: [ItemPath: [String]] = [:] }
        let found = Found()
        scheduler.submit(nil, of: nil) { [self] in
            Task {
                do throws(DocFSError) {
                    for directory in try await store.list(Self.versions) {
                        found.texts[directory.path] = try await texts(directory.path)
                    }
                } catch {
                    if error != .notFound { fail("the run itself: \(error)") }
                }
            }
        }
        pass(milliseconds: 1)
        return found.texts
    }

    /// What conflict versions held before something else was saved into them, by conflict version.
    func formerTexts(of siblings: [LocalItem]) -> [ItemID: Set<String>] {
        let kept = keptTexts()
        var former: [ItemID: Set<String>] = [:]
        for row in siblings {
            let directory = Self.versions.appending(Name(row.item.description))
            former[row.item] = Set(kept[directory] ?? []).union(ledger.expired[directory] ?? [])
        }
        return former
    }

    /// What the conflict versions from each device held before that device saved something else
    /// into them: what it has written, and nobody has written into them by hand.
    func formerConflicts(_ siblings: [LocalItem]) -> [String: Set<String>] {
        let texts = formerTexts(of: siblings)
        var former: [String: Set<String>] = [:]
        for row in siblings {
            let own = (texts[row.item] ?? []).subtracting(byHand[row.item] ?? [])
            for device in devices where isMade(row, by: device) {
                former[device.name, default: []].formUnion(
                    ledger.texts(of: device.name, among: own))
            }
        }
        return former
    }

    private func isMade(_ row: LocalItem, by device: Device) -> Bool {
        row.name.description.contains("(conflict from \(device.name),")
    }

    /// Looks at a document that programs of two devices have saved all the time: one conflict
    /// version of each device at most, where nobody has touched it, and as many earlier versions as
    /// are kept for their age.
    func checkAlternation() throws {
        let siblings = try devices[0].siblings(of: Script.document)
        let former = formerConflicts(siblings).values.reduce(0) { $0 + $1.count }
        note("\(siblings.count) conflict versions, which were updated \(former) times")
        excuses.siblings += siblings.count
        excuses.updates += former
        for device in devices {
            let count = siblings.count { isMade($0, by: device) }
            // After each time the next conflict may make one more, also one of what was turned to.
            let most = 1 + turnedTo.count
            if count > most { fail("S14a: \(count) conflict versions from \(device.name)") }
        }
        guard script.retention != nil else { return }
        pass(milliseconds: (2 * retention + 4 * Daemon.collection) / 1_000_000)
        for (directory, texts) in keptTexts() where texts.count > Daemon.keptVersions {
            fail("S19: \(texts.count) earlier versions are kept for ever in \(directory)")
        }
    }
}
