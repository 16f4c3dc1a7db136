/// The edits of documents that programs keep open for writing.
struct OpenEdits {
    private var edits: [ItemID: OpenEdit] = [:]
    /// Versions of other devices that wait until programs here close their documents.
    private(set) var newer: [ItemID: NewerVersion] = [:]

    /// There is something of `item` to send.
    ///
    /// - Parameters:
    ///   - writer: who has it open.
    ///   - isOverdue: it has been changed for longer than anything waits.
    /// - Returns: whether it is sent now.
    mutating func wait(_ item: ItemID, for writer: WriterState, isOverdue: Bool, at now: UInt64)
        -> Bool
    {
        var edit = edits[item] ?? OpenEdit()
        edit.wait(since: isOverdue ? now - min(now, OpenEdit.interval) : now)
        edits[item] = edit
        return switch writer {
        case .none: true
        case .held(let since): edit.due(isSynced: false, openSince: since) <= now
        case .heldAndSynced: edit.due(isSynced: true, openSince: 0) <= now
        }
    }

    /// The user wants `item` to be sent, though it is open.
    mutating func hurry(_ item: ItemID) { edits[item, default: OpenEdit()].hurry() }

    /// Copying `item` begins, which is open.
    mutating func begin(_ item: ItemID, at now: UInt64) {
        edits[item, default: OpenEdit()].begin(at: now)
    }

    /// `item` is sent.
    mutating func end(_ item: ItemID, at now: UInt64) { edits[item]?.end(at: now) }

    /// `item` could not be copied.
    ///
    /// - Returns: how often in a row.
    mutating func fail(_ item: ItemID, at now: UInt64) -> Int {
        edits[item]?.end(at: now, isSent: false)
        return edits[item]?.failures ?? 0
    }

    /// Nothing came of it: `item` is planned once more.
    mutating func cancel(_ item: ItemID) { edits[item]?.cancel() }

    /// All of `item` is in the store.
    mutating func rest(_ item: ItemID, isOpen: Bool) {
        if isOpen { edits[item]?.rest() } else { edits[item] = nil }
    }

    /// These wait of `items`, and no others.
    ///
    /// - Returns: those that are news.
    mutating func wait(for found: [NewerVersion], among items: [ItemID]) -> [NewerVersion] {
        let news = found.filter { version in
            guard let old = newer[version.item]?.content else { return true }
            return old.revision != version.content.revision
                && !old.holdsSameBytes(as: version.content)
        }
        for item in items { newer[item] = nil }
        for version in found { newer[version.item] = version }
        return news
    }

    /// Whether `item` is being copied or sent while it is open.
    func isTried(_ item: ItemID) -> Bool { edits[item]?.isTried == true }
}
