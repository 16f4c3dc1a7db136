internal import Synchronization

/// Open files, and whether the kernel's pages of them are still right.
extension LocalTable {
    /// Notes an open(2) and tells whether the kernel's pages are right: nothing changed since they
    /// last were.
    func opened(_ file: OpenFile, _ status: FileStatus) -> Bool {
        let number = file.number
        return state.withLock { state in
            guard let entry = state.files[number] else { return false }
            entry.open.append(file)
            state.open.insert(number)
            // While we change it ourselves, the status says nothing about others.
            if let stamp = entry.stamp, entry.changing > 0 || stamp.isUnsure { return true }
            defer { entry.stamp = LocalStamp(status) }
            return entry.stamp?.isExactly(status) ?? false
        }
    }

    /// Takes an open file off `number`.
    func closed(_ file: OpenFile, _ number: FileNumber) {
        state.withLock { state in
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
            if stamp.isUnsure {
                file.stamp = LocalStamp(status)
                return false
            }
            guard stamp.differsInContent(from: status) else { return false }
            file.stamp = LocalStamp(status)
            return true
        }
    }

    /// We begin to change a file. True when the kernel may have pages of it, so that the end wants
    /// to know the status before and after.
    func beginChange(_ number: FileNumber) -> Bool {
        state.withLock { state in
            guard let file = state.files[number] else { return false }
            file.changing += 1
            file.epoch &+= 1
            if file.changing > 1 { file.isOverlapped = true }
            return file.stamp != nil
        }
    }

    /// Our change is made. `before` and `after`, if any, were taken between begin and end. True
    /// when somebody else had changed the content before.
    func endChange(_ number: FileNumber, before: FileStatus?, after: FileStatus?) -> Bool {
        state.withLock { state in
            guard let file = state.files[number], file.changing > 0 else { return false }
            file.changing -= 1
            file.epoch &+= 1
            defer { if file.changing == 0 { file.isOverlapped = false } }
            guard let stamp = file.stamp else { return false }
            guard let before, let after, !file.isOverlapped else {
                file.stamp?.isUnsure = true
                return false
            }
            file.stamp = LocalStamp(after)
            return !stamp.isUnsure && stamp.differsInContent(from: before)
        }
    }
}
