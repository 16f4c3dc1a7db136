/// What is done under the table's lock.
extension LocalTable.State {
    /// The most names that are remembered of one file; the oldest go first.
    private static let maximumPlaces = 16

    // MARK: Files

    /// A file in memory.
    func known(_ identity: LocalIdentity, on index: UInt64) -> LocalFile? {
        let displaced = identity.isFolded ? displaced[identity] : nil
        let number = displaced ?? LocalNumbers.number(of: identity.inode, on: index)
        guard let file = files[number], file.identity == identity else { return nil }
        return file
    }

    /// The number of a file, in memory or not.
    mutating func number(of identity: LocalIdentity, on index: UInt64) -> FileNumber {
        let own = LocalNumbers.number(of: identity.inode, on: index)
        guard identity.isFolded else { return own }
        if let number = displaced[identity] { return number }
        var number = own
        while let file = files[number], file.identity != identity {
            number = LocalNumbers.next(after: number)
        }
        if number != own { displaced[identity] = number }
        return number
    }

    /// Brings a file into memory.
    mutating func add(_ number: FileNumber, _ status: FileStatus) -> LocalFile {
        let file = LocalFile(
            number: number, identity: LocalIdentity(status), isDirectory: status.isDirectory)
        files[number] = file
        return file
    }

    /// Takes a file off its number, which another file was given with the inode.
    ///
    /// Answers the number that it goes on under when the kernel holds it, else `nil`.
    mutating func makeWay(_ file: LocalFile) -> FileNumber? {
        let number = file.number
        removePlaces(of: file)
        removeDescriptor(of: file)
        sink(file)
        files[number] = nil
        guard file.retained > 0 || !file.open.isEmpty else { return nil }
        buried += 1
        file.number = LocalNumbers.number(ofBuried: buried)
        burying[number] = file.number
        files[file.number] = file
        if open.remove(number) != nil { open.insert(file.number) }
        for handle in file.open {
            handle.move(to: file.number, descriptor: handle.descriptor, content: nil)
        }
        return file.number
    }

    // MARK: Places

    /// Notes that `file` is `name` in `directory`.
    mutating func place(
        _ file: LocalFile, _ name: Name, in directory: LocalFile, links: UInt32
    ) {
        // The root is reached without a name, also where it is mounted below itself.
        if file.isRoot { return }
        let isHere = { (place: LocalFile.Place) in
            place.parent === directory && place.name == name
        }
        if let place = file.place {
            if isHere(place) { return }
            // First, so that the directory stays in memory whatever goes now.
            directory.children += 1
            if file.isDirectory || links <= 1 {
                removePlaces(of: file)
            } else {
                if let old = file.otherPlaces.firstIndex(where: isHere) {
                    file.otherPlaces.remove(at: old).parent.children -= 1
                }
                file.otherPlaces.insert(place, at: 0)
                if file.otherPlaces.count >= Self.maximumPlaces {
                    let oldest = file.otherPlaces.removeLast().parent
                    oldest.children -= 1
                    drop(oldest)
                }
            }
        } else {
            directory.children += 1
            // Gone and here again: perhaps another file that was given the inode.
            if file.open.isEmpty { file.stamp = nil }
        }
        file.place = LocalFile.Place(parent: directory, name: name)
    }

    /// Notes that `file` is not `name` in `directory` any more.
    mutating func displace(_ file: LocalFile, _ name: Name, in directory: LocalFile) {
        if let place = file.place, place.parent === directory, place.name == name {
            file.place = file.otherPlaces.isEmpty ? nil : file.otherPlaces.removeFirst()
        } else if let index = file.otherPlaces.firstIndex(where: {
            $0.parent === directory && $0.name == name
        }) {
            file.otherPlaces.remove(at: index)
        } else {
            return
        }
        directory.children -= 1
        drop(directory)
    }

    private mutating func removePlaces(of file: LocalFile) {
        let places = (file.place.map { [$0] } ?? []) + file.otherPlaces
        file.place = nil
        file.otherPlaces = []
        for place in places {
            place.parent.children -= 1
            drop(place.parent)
        }
    }

    // MARK: Memory

    /// Takes `file` and those above out of memory, as far as nobody needs them.
    mutating func drop(_ file: LocalFile) {
        // A list of what is left to do, since a tree may be deeper than the stack.
        var left = [file]
        while let file = left.popLast() {
            guard file.isCold, files[file.number] === file else { continue }
            files[file.number] = nil
            if file.identity.isFolded { displaced[file.identity] = nil }
            removeDescriptor(of: file)
            if let parent = file.place?.parent {
                parent.children -= 1
                left.append(parent)
            }
            for place in file.otherPlaces {
                place.parent.children -= 1
                left.append(place.parent)
            }
            file.place = nil
            file.otherPlaces = []
        }
    }

    /// Keeps `file` for a while although the kernel was not yet told of it.
    mutating func float(_ file: LocalFile) {
        guard file.floatingSlot == nil else { return }
        let (slot, displaced) = floating.insert(file)
        file.floatingSlot = slot
        if let displaced {
            displaced.floatingSlot = nil
            drop(displaced)
        }
    }

    /// The kernel holds `file` now.
    mutating func sink(_ file: LocalFile) {
        guard let slot = file.floatingSlot else { return }
        floating.remove(slot)
        file.floatingSlot = nil
    }

    // MARK: Descriptors

    mutating func keep(_ descriptor: Descriptor, for file: LocalFile) {
        guard file.descriptor == nil else { return }
        file.descriptor = descriptor
        let (slot, displaced) = descriptors.insert(file) { held in
            defer { held.isRecent = false }
            return held.isRecent
        }
        file.descriptorSlot = slot
        displaced?.descriptorSlot = nil
        if let descriptor = displaced?.descriptor { closing.append(descriptor) }
        displaced?.descriptor = nil
    }

    private mutating func removeDescriptor(of file: LocalFile) {
        guard let slot = file.descriptorSlot else { return }
        descriptors.remove(slot)
        file.descriptorSlot = nil
        if let descriptor = file.descriptor { closing.append(descriptor) }
        file.descriptor = nil
    }
}
