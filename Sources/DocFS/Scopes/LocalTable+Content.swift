internal import Synchronization

/// Open files, and whether the kernel's pages of them are still right.
extension LocalTable {
    /// Notes an open(2) and tells whether the kernel's pages are right: nobody else did anything
    /// since they last were.
    ///
    /// `status` was taken when the file was at `epoch`.
    func opened(_ file: OpenFile, _ status: FileStatus, epoch: UInt32) -> Bool {
        let number = file.number
        return state.withLock { state in
            guard let entry = state.files[number] else { return false }
            entry.open.append(file)
            state.open.insert(number)
            // A status from while we changed it ourselves says nothing about others.
            let isUseless = entry.changing > 0 || entry.epoch != epoch
            if isUseless && entry.stamp != nil { return true }
            defer { entry.stamp = LocalStamp(status) }
            return entry.stamp?.isUntouched(in: status) ?? false
        }
    }

    /// The kernel reads and perhaps writes a file by itself: it has no pages of it.
    func passed(_ number: FileNumber, isWritten: Bool) {
        state.withLock { state in
            guard let file = state.files[number] else { return }
            file.stamp = nil
            if isWritten { file.isWrittenUnseen = true }
        }
    }

    func isWrittenUnseen(_ number: FileNumber) -> Bool {
        state.withLock { $0.files[number]?.isWrittenUnseen ?? false }
    }

    /// Takes an open file off `number`.
    func closed(_ file: OpenFile, _ number: FileNumber) {
        change { state in
            guard let entry = state.files[number] else { return }
            entry.open.removeAll { $0 === file }
            if entry.open.isEmpty { state.open.remove(number) }
            state.drop(entry)
        }
    }

    func openFiles(of number: FileNumber) -> [OpenFile] {
        state.withLock { $0.files[number]?.open ?? [] }
    }

    /// One open file of every number that has any, with its epoch.
    func openNumbers() -> [(number: FileNumber, file: OpenFile, epoch: UInt32)] {
        state.withLock { state in
            state.open.compactMap { number in
                guard let entry = state.files[number], let file = entry.open.last else {
                    return nil
                }
                return (number, file, entry.epoch)
            }
        }
    }

    /// Judges a status that was taken when the file was at `epoch`: true when somebody else changed
    /// the content since the kernel's pages were last known to be right.
    func observe(_ number: FileNumber, _ status: FileStatus, epoch: UInt32) -> Bool {
        state.withLock { state in
            guard let file = state.files[number], file.changing == 0, file.epoch == epoch,
                let stamp = file.stamp
            else { return false }
            let isDifferent = stamp.differsInContent(from: status)
            // The change time is left alone: a later open is to see that it moved.
            if isDifferent || !stamp.isExact { file.stamp = LocalStamp(status) }
            return isDifferent
        }
    }

    /// We begin to change a file.
    ///
    /// True when the status before the change is wanted at the end: the kernel may have pages, and
    /// others may have changed the file before us.
    func beginChange(_ number: FileNumber) -> Bool {
        state.withLock { state in
            guard let file = state.files[number] else { return false }
            file.changing += 1
            file.epoch &+= 1
            if file.changing > 1 { file.isOverlapped = true }
            return file.changing == 1 && file.stamp?.isExact == true
        }
    }

    /// Our write up to `end` is made.
    ///
    /// `before` is what the begin asked for. True when somebody else had changed the content
    /// before.
    func endWrite(_ number: FileNumber, before: FileStatus?, upTo end: UInt64) -> Bool {
        endChange(number, before) { stamp, _ in stamp.wrote(upTo: end, at: Posix.time()) }
    }

    /// Another change of our own is made, with what `before` and `after` were.
    ///
    /// True when somebody else had changed the content before.
    func endChange(_ number: FileNumber, before: FileStatus?, after: FileStatus?) -> Bool {
        endChange(number, before) { stamp, isOverlapped in
            if let after, !isOverlapped {
                stamp = LocalStamp(after)
            } else {
                stamp.loosen(at: Posix.time())
            }
        }
    }

    private func endChange(
        _ number: FileNumber, _ before: FileStatus?,
        _ update: (_ stamp: inout LocalStamp, _ isOverlapped: Bool) -> Void
    ) -> Bool {
        state.withLock { state in
            guard let file = state.files[number], file.changing > 0 else { return false }
            file.changing -= 1
            file.epoch &+= 1
            defer { if file.changing == 0 { file.isOverlapped = false } }
            guard var stamp = file.stamp else { return false }
            var isDifferent = false
            if let before, !file.isOverlapped {
                isDifferent = stamp.differsInContent(from: before)
                if isDifferent { stamp = LocalStamp(before) }
            }
            update(&stamp, file.isOverlapped)
            file.stamp = stamp
            return isDifferent
        }
    }
}
