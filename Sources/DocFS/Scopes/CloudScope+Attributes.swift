/// Changing mode, owner, size and times.
extension CloudScope {
    /// setattr of a file; `through` is the handle that was used, if any.
    ///
    /// Access times are not kept. Owner and group count on this device only (S31).
    ///
    /// - Parameter check: is asked about the row in the transaction that changes it, unless it is
    ///   the size alone; what it throws leaves the row as it is.
    package func setAttributes(
        of number: FileNumber, _ change: AttributeChange, through file: OpenFile? = nil,
        caller: Caller, check: (LocalItem) throws(DocFSError) -> Void = { _ in }
    ) throws(DocFSError) -> LookupResult {
        if let size = change.size {
            try setSize(of: number, size, through: file, caller)
        }
        guard change.isKept else { return result(try row(number)) }
        let now = clock.wallTime()
        var changedRow: LocalItem?
        func apply(_ row: inout LocalItem, _ transaction: CatalogWriter) throws(DocFSError) {
            guard row.scope == id else { throw .stale }
            try check(row)
            let old = row
            row = changed(old, change, now)
            if row.metadata != old.metadata, row.ino != rootIno {
                try transaction.markEdited(row)
            }
            changedRow = row
        }
        // What was written before must not move the time that is set now.
        if change.modified != .keep {
            try contents.changeWritten(number.row, apply)
        } else {
            try contents.change(number.row, apply)
        }
        return result(changedRow)
    }

    private func changed(_ old: LocalItem, _ change: AttributeChange, _ now: Timestamp)
        -> LocalItem
    {
        var row = old
        if let mode = change.mode {
            row.mode = Self.kept(row.type | mode & 0o7777)
        }
        row.owner = change.owner ?? row.owner
        row.group = change.group ?? row.group
        switch change.modified {
        case .keep: break
        case .now: row.modified = now
        case .set(let time): row.modified = time
        }
        row.changed = now
        return row
    }

    private func setSize(
        of number: FileNumber, _ size: UInt64, through file: OpenFile?, _ caller: Caller
    ) throws(DocFSError) {
        let row = try row(number)
        if row.isDirectory { throw .isDirectory }
        guard row.isFile else { throw .invalidArgument }
        if let content = file?.content {
            if size == 0 { rebase(content, row, caller) }
            return try content.setSize(size)
        }
        let (content, _) = try contents.open(row.ino, forWriting: true)
        defer { contents.close(content, forWriting: true) }
        if size == 0 { rebase(content, row, caller) }
        try content.setSize(size)
    }

    /// Who empties a document writes it anew, from what it has read of it (S14a).
    func rebase(_ content: OpenContent, _ row: LocalItem, _ caller: Caller) {
        if row.parent == nil { return }
        if let base = outdatedBase(of: row.item, shown: row, for: caller) {
            content.rebase(on: base)
        }
    }
}
