/// Contents that may be written without a request to us, and for how long.
///
/// A mapping outlives the handle that it was made from, and the kernel does not tell of its end.
/// But the file behind a mapping keeps its name in the mount, and so its number, until it is
/// unmapped (backing_file_open): so what was once open for writing past us counts as open for
/// writing until the kernel forgets the number.
extension Contents {
    /// How often it is looked at what is open, in microseconds.
    private static let interval: UInt32 = 5_000_000

    /// Content that is open may be written unseen from now on.
    ///
    /// When this returns, the intent is in the row. Where the row may be behind the file already,
    /// `shown` is the row.
    func hold(_ content: OpenContent, shown: LocalItem? = nil) throws(DocFSError) {
        let ino = content.ino
        let isFirst = table.withLock { table in
            let isFirst = table.held.insert(ino).inserted
            if isFirst { table.entries[ino]?.writers += 1 }
            return isFirst
        }
        do throws(DocFSError) {
            try content.watch(since: shown.map { FileMark($0) }, counts: isFirst)
        } catch {
            if isFirst {
                table.withLock { _ = $0.held.remove(ino) }
                close(content, forWriting: true)
            }
            throw error
        }
        if isFirst { lookAtHeldLater() }
    }

    /// Some programs neither close a document for days, nor does anybody look at it (S14).
    private func lookAtHeldLater() {
        let isFirst = table.withLock { table in
            defer { table.looksAtHeld = true }
            return !table.looksAtHeld
        }
        guard isFirst else { return }
        unseenLooks.submit(after: Self.interval) { [weak self] in self?.lookAtHeld() }
    }

    private func lookAtHeld() {
        let held = table.withLock { table in
            table.looksAtHeld = false
            return table.held.sorted()
        }
        for ino in held { _ = takeOver(ino) }
        if table.withLock({ !$0.held.isEmpty }) { lookAtHeldLater() }
    }

    /// Whether a content may be written unseen.
    package func isHeld(_ ino: Int64) -> Bool {
        table.withLock { $0.held.contains(ino) || $0.outside[ino] != nil }
    }

    /// Brings a row up to date with what was written unseen, if it may be.
    ///
    /// - Returns: whether the row changed.
    func takeOver(_ ino: Int64) -> Bool {
        guard isHeld(ino) else { return false }
        // What cannot be recorded now is by the next look, or read from the file by the next start.
        return (try? openContent(ino)?.takeOver()) ?? false
    }

    /// Nobody can write unseen any more.
    ///
    /// - Returns: whether somebody could until now.
    func endHold(_ ino: Int64) -> Bool {
        guard let content = table.withLock({ $0.letGo(ino) }) else { return false }
        unhold(content)
        return true
    }

    func unhold(_ content: OpenContent) {
        do throws(DocFSError) {
            try content.unwatch()
        } catch .stale {
            // The row is gone.
        } catch {
            // Until the row has the last of what was written, the content counts as open.
            return tryAgain { [self] in unhold(content) }
        }
        close(content, forWriting: true)
    }

    /// A handle was closed: once nobody has it open for writing, what was written until then may be
    /// sent, and once nobody has it open at all, the kernel is to forget the number.
    func askToForget(_ ino: Int64) {
        let entry = table.withLock { table -> ContentTable.Entry? in
            guard table.held.contains(ino), let entry = table.entries[ino], entry.writers == 1
            else { return nil }
            return entry
        }
        guard let entry else { return }
        let row: LocalItem
        do throws(DocFSError) {
            row = try self.row(ino)
        } catch .stale {
            return
        } catch {
            // Nobody else would say that it may be sent.
            return tryAgain { [self] in askToForget(ino) }
        }
        entry.content.state.withLock { $0.isSynced = true }
        catalog.announce(row.item, scope: row.scope)
        if entry.readers == 0, let parent = row.parent {
            currentObserver?.unused(parent: parent, name: row.name, ino: ino)
        }
    }
}
